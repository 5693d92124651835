import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { sha256Hex } from '../../src/base/index.ts';
import { nodeProgram } from '../image/node.ts';
import { NAMES, type Architecture, type Pin } from '../image/pins.ts';

/** It brings no types. */
const { inject } = createRequire(import.meta.url)('postject') as {
  inject(file: string, resource: string, data: Buffer, options: { sentinelFuse: string }): Promise<void>;
};

/** Programs of the daemon, which the command line does not run. */
const DAEMON = ['ipod.cjs', 'webhook-part.cjs', 'service-part.cjs'];
/** Where Node.js finds that something was added to it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * makeBinary writes the command line as one program: the pinned Node.js of a processor with the built programs in it. The same sources give
 * the same bytes. It throws where Node.js is not the pinned one.
 */
export async function makeBinary(from: {
  root: string;
  /** The built programs. */
  dist: string;
  cache: string;
  architecture: Architecture;
  pin: Pin;
  /** The file to write. */
  out: string;
}): Promise<void> {
  const { root, dist, cache, architecture, pin, out } = from;
  const node = nodeProgram(root, cache, architecture).path;
  const given = sha256Hex(readFileSync(node));
  if (given !== pin.sha256)
    throw new Error(`${node}: SHA-256 is ${given}, but Node.js ${pin.version} is pinned to ${pin.sha256}`);
  const folder = mkdtempSync(join(tmpdir(), 'ipo-binary-'));
  try {
    const blob = await makeBlob(root, dist, architecture, folder);
    copyFileSync(node, out);
    chmodSync(out, 0o755);
    await inject(out, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What Node.js reads of itself when it starts: the loader, and each file of the package, packed. */
async function makeBlob(
  root: string,
  dist: string,
  architecture: Architecture,
  folder: string,
): Promise<Buffer> {
  const loader = join(folder, 'loader.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/binary/loader.ts'],
    outfile: loader,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    minify: true,
    logLevel: 'warning',
  });
  const assets: Record<string, string> = { 'loader.cjs': loader };
  for (const [name, path] of files(root, dist, architecture)) {
    const packed = join(folder, String(Object.keys(assets).length));
    const level = { [constants.ZSTD_c_compressionLevel]: 19 };
    writeFileSync(packed, zstdCompressSync(readFileSync(path), { params: level }));
    assets[name] = packed;
  }
  // Paths that are the same on every machine: that of the main program is kept.
  const config = { main: 'loader.cjs', output: 'blob', assets, disableExperimentalSEAWarning: true };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', 'config.json'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readFileSync(join(folder, 'blob'));
}

/** Every file by the name under which the loader asks for it, in one order. */
function files(root: string, dist: string, architecture: Architecture): Map<string, string> {
  const found = new Map<string, string>();
  const addFolder = (name: string, path: string, keep: (file: string) => boolean): void => {
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      const full = join(entry.parentPath, entry.name);
      const file = full.slice(path.length + 1);
      if (entry.isFile() && keep(file)) found.set(`${name}/${file}`, full);
    }
  };
  addFolder('dist', dist, (file) => file.endsWith('.cjs') && !DAEMON.includes(file));
  addFolder('fixtures/ledger', join(root, 'fixtures/ledger'), () => true);
  addFolder('fixtures/policies', join(root, 'fixtures/policies'), () => true);
  const sqlite = join(root, 'node_modules/better-sqlite3');
  addFolder('node_modules/better-sqlite3/lib', join(sqlite, 'lib'), () => true);
  const prebuilt = `prebuilds/linux-${NAMES[architecture].node}.node`;
  found.set(`node_modules/better-sqlite3/${prebuilt}`, join(sqlite, prebuilt));
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
