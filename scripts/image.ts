import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sha256Hex } from '../src/base/index.ts';
import { sourceCommit } from './build/commit.ts';
import { appLayer } from './image/app.ts';
import { baseLayer, nodeLayer, trivyLayer } from './image/base.ts';
import { Debian } from './image/debian.ts';
import { Layout, layerOf, type Layer } from './image/layout.ts';
import { nodeProgram, writeNodeLicence } from './image/node.ts';
import { ARCHITECTURES, PINS_FILE, readPins, type Architecture, type Pins } from './image/pins.ts';
import { SETTINGS } from './image/settings.ts';
import { commitTime } from './image/source.ts';
import { putFolder, toTar, type Tree } from './image/tree.ts';

/**
 * `npm run image`: writes the container image as an OCI layout, and as one archive of it. No container engine is needed, and the same
 * sources give the same bytes: every file comes from the repository or is pinned in `scripts/image/pins.json`, and times are those of the commit.
 */
const ROOT = resolve(import.meta.dirname, '..');
const USAGE = `Usage: npm run image -- [options]

Writes the container image to dist-image/ (an OCI layout) and dist-image.tar (the same as one archive). Run npm run build first.

  --out FOLDER           where to write (default: dist-image)
  --arch LIST            processors: amd64, arm64, or both with a comma (default: the one of this machine)
  --dist FOLDER          the built programs (default: dist)
  --name NAME:TAG        name under which the archive is imported (default: image-policy-operator: and the version)
  --image-version TEXT   version in the labels (default: the version in package.json)
  --trivy FILE           add this Trivy program, as a layer of its own, for the image with a scanner
  --trivy-sha256 HEX     SHA-256 that the Trivy program has to have
  --level N              how hard to compress, 1 to 9 (default: 9)
  --pin                  pin the newest packages of Debian and the Node.js of package-lock.json, and write no image
`;

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist-image' },
    arch: { type: 'string', default: process.arch === 'arm64' ? 'arm64' : 'amd64' },
    dist: { type: 'string', default: 'dist' },
    name: { type: 'string' },
    'image-version': { type: 'string' },
    trivy: { type: 'string' },
    'trivy-sha256': { type: 'string' },
    level: { type: 'string', default: '9' },
    pin: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const cache = process.env['IPO_IMAGE_CACHE'] ?? join(ROOT, 'node_modules/.cache/image');
if (values.help) process.stdout.write(USAGE);
else if (values.pin) writePins();
else await writeImage();

function writePins(): void {
  const pins: Pins = {
    debian: { amd64: new Debian(cache, 'amd64').newest(), arm64: new Debian(cache, 'arm64').newest() },
    node: { amd64: nodePin('amd64'), arm64: nodePin('arm64') },
  };
  writeNodeLicence(ROOT, cache);
  writeFileSync(PINS_FILE, `${JSON.stringify(pins, null, 2)}\n`);
  process.stdout.write(`Wrote ${PINS_FILE}\n`);
}

function nodePin(architecture: Architecture): { version: string; sha256: string } {
  const { version, path } = nodeProgram(ROOT, cache, architecture);
  return { version, sha256: sha256Hex(readFileSync(path)) };
}

async function writeImage(): Promise<void> {
  const architectures = values.arch.split(',').map((name) => {
    const known = ARCHITECTURES.find((architecture) => architecture === name);
    return known ?? fail(`--arch ${name}: one of ${ARCHITECTURES.join(', ')}`);
  });
  const level = Number(values.level);
  if (!Number.isInteger(level) || level < 1 || level > 9)
    fail(`--level ${values.level}: a whole number from 1 to 9`);
  if ((values.trivy === undefined) !== (values['trivy-sha256'] === undefined))
    fail('--trivy and --trivy-sha256 go together: the program is checked before it is added');
  const dist = resolve(ROOT, values.dist);
  if (!existsSync(join(dist, 'main.cjs'))) fail(`${dist} is not built: run npm run build`);
  const trivy = values.trivy === undefined ? null : trivyLayer(values.trivy, values['trivy-sha256'] ?? '');
  const pins = readPins();
  const time = commitTime(ROOT);
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
    description: string;
    license: string;
  };
  const version = values['image-version'] ?? manifest.version;
  const created = new Date(time * 1000).toISOString().replace('.000Z', 'Z');
  const labels = {
    'org.opencontainers.image.title': 'image-policy-operator',
    'org.opencontainers.image.description': manifest.description,
    'org.opencontainers.image.licenses': manifest.license,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': sourceCommit(ROOT) ?? 'unknown',
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.base.name': 'scratch',
  };

  const out = resolve(ROOT, values.out);
  const partial = `${out}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const layout = new Layout(partial);
  let size = 0;
  for (const architecture of architectures) {
    const debian = new Debian(cache, architecture);
    const layers: Layer[] = [];
    const add = async (tree: Tree, note: string): Promise<void> => {
      layers.push(await layerOf(tree, time, note, level));
    };
    await add(
      await baseLayer(debian, pins.debian[architecture], architecture),
      'Debian: libraries, authorities, time zones',
    );
    await add(
      nodeLayer(nodeProgram(ROOT, cache, architecture).path, pins.node[architecture]),
      `Node.js ${pins.node[architecture].version}`,
    );
    await add(appLayer(ROOT, dist, architecture), `image-policy-operator ${version}`);
    if (trivy !== null) await add(trivy, 'Trivy');
    layout.add({ architecture, created, settings: SETTINGS, labels, layers });
    size += layers.reduce((sum, { blob }) => sum + blob.length, 0);
  }
  const digest = layout.finish(values.name ?? `image-policy-operator:${version}`, labels);
  const archive: Tree = new Map();
  putFolder(archive, '', partial);
  writeFileSync(`${out}.tar.partial`, await toTar(archive, time));
  rmSync(out, { recursive: true, force: true });
  renameSync(partial, out);
  renameSync(`${out}.tar.partial`, `${out}.tar`);
  const millions = (size / 1e6 / architectures.length).toFixed(1);
  process.stdout.write(
    `${out}\n${out}.tar\n${digest}  ${architectures.join(', ')}, ${millions} MB compressed each\n`,
  );
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
