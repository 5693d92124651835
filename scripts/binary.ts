import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBinary } from './binary/make.ts';
import { ARCHITECTURES, readPins } from './image/pins.ts';

/** `npm run binary`: writes the command line as one program for Linux, which needs no Node.js and no other file. */
const ROOT = resolve(import.meta.dirname, '..');
const USAGE = `Usage: npm run binary -- [options]

Writes the command line as one program for Linux: Node.js with the built programs in it. Run npm run build first.

  --arch NAME    processor: amd64 or arm64 (default: the one of this machine)
  --dist FOLDER  the built programs (default: dist)
  --out FILE     where to write (default: ipo)
`;

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: process.arch === 'arm64' ? 'arm64' : 'amd64' },
    dist: { type: 'string', default: 'dist' },
    out: { type: 'string', default: 'ipo' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else await write();

async function write(): Promise<void> {
  const architecture = ARCHITECTURES.find((name) => name === values.arch);
  if (architecture === undefined) return fail(`--arch ${values.arch}: one of ${ARCHITECTURES.join(', ')}`);
  const [dist, out] = [resolve(ROOT, values.dist), resolve(ROOT, values.out)];
  if (!existsSync(join(dist, 'main.cjs'))) return fail(`${dist} is not built: run npm run build`);
  const cache = process.env['IPO_IMAGE_CACHE'] ?? join(ROOT, 'node_modules/.cache/image');
  await makeBinary({ root: ROOT, dist, cache, architecture, pin: readPins().node[architecture], out });
  process.stdout.write(`${out}  ${(statSync(out).size / 1e6).toFixed(1)} MB\n`);
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}
