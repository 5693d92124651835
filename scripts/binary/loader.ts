import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { getAsset, getAssetKeys } from 'node:sea';
import { compileFunction } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { zstdDecompressSync } from 'node:zlib';

/**
 * What the standalone program begins with: it loads the programs of the package out of the program itself, so that what was verified is
 * what runs, and nothing is unpacked. Only SQLite's native code has to be a file for a moment.
 */
type Require = (path: string) => unknown;
interface Loaded {
  exports: unknown;
}

/** Where the files of the package seem to lie. */
const ROOT = '/ipo';
const SQLITE = `node_modules/better-sqlite3/lib/linux-${process.arch}.js`;

const builtins = createRequire(`${ROOT}/`);
const names = new Set(getAssetKeys());
const loaded = new Map<string, Loaded>();

/** load evaluates a file of the package once, and gives what it exports. */
export function load(path: string): unknown {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const module: Loaded = { exports: {} };
  loaded.set(path, module);
  if (path.endsWith('.node')) loadNative(path, module);
  else {
    const filename = join(ROOT, path);
    const evaluate = compileFunction(
      read(path).toString(),
      ['exports', 'require', 'module', '__filename', '__dirname'],
      { filename },
    ) as (exports: unknown, require: Require, module: Loaded, file: string, folder: string) => void;
    evaluate(module.exports, requireFrom(path), module, filename, posix.dirname(filename));
  }
  return module.exports;
}

function requireFrom(from: string): Require {
  return (path) => {
    if (isBuiltin(path)) return builtins(path);
    if (path === 'better-sqlite3') return load(SQLITE);
    const file = posix.join(posix.dirname(from), path);
    const found = [file, `${file}.js`].find((name) => path.startsWith('.') && names.has(name));
    if (found !== undefined) return load(found);
    throw Object.assign(new Error(`Cannot find module '${path}'`), { code: 'MODULE_NOT_FOUND' });
  };
}

function read(path: string): Buffer {
  return zstdDecompressSync(Buffer.from(getAsset(path)));
}

/** The system links native code from files only: one that nobody else can write to, gone once it is linked. */
function loadNative(path: string, module: Loaded): void {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-native-'));
  try {
    const file = join(folder, posix.basename(path));
    writeFileSync(file, read(path), { mode: 0o500 });
    process.dlopen(module, file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A process of ours is named by its first argument, and only the one that started it can talk to it. */
function ownProcess(): string | null {
  const [, name] = /^ipo:([a-z-]+)$/.exec(process.argv[2] ?? '') ?? [];
  return name !== undefined && process.send !== undefined ? `dist/${name}.cjs` : null;
}

async function start(): Promise<void> {
  const own = ownProcess();
  if (own !== null) {
    load(own);
    return;
  }
  const main = load('dist/main.cjs') as { run(argv: readonly string[]): Promise<number> };
  try {
    process.exitCode = await main.run(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`ipo cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 3;
  }
}

// A thread is told by itself what it runs.
if (isMainThread) void start();
