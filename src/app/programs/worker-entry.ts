import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';

/** ThreadName is a thread of ours, by its program in `daemon/`. */
export type ThreadName = 'verify-worker' | 'log-worker' | 'call-worker' | 'hash-worker' | 'rows-worker';

/** ProcessName is a process of ours. */
export type ProcessName =
  | 'replay-worker'
  | 'detector-worker'
  | 'backup-worker'
  | 'evidence-worker'
  | 'webhook-part'
  | 'service-part';

/**
 * ONE_THREAD is the flag of the engine by which a process of background work compiles and collects garbage in its one thread: a webhook that
 * wakes finds the other processors without any of this work.
 */
export const ONE_THREAD = '--single-threaded';

/**
 * NEW_AS_NEW is the flag of the engine by which it takes no new object for one that will stay. It takes rows for such where some of them were in
 * use while it collected garbage: then all that are read later, with their texts, are kept until the whole heap is collected.
 */
export const NEW_AS_NEW = '--no-allocation-site-pretenuring';

/** threadEntry gives what a thread of ours is started with. */
export function threadEntry(name: ThreadName): string | URL {
  return isSea() ? inBinary(name) : emitted(name);
}

/** startProcess starts a process of ours. `entry` takes the place of its program in tests. */
export function startProcess(
  name: ProcessName,
  { entry, execArgv = [], env = {}, ...more }: ForkOptions & { readonly entry?: string | undefined },
): ChildProcess {
  if (!isSea()) return fork(entry ?? emitted(name), [], { execArgv, env, ...more });
  return fork(`ipo:${name}`, [], {
    ...more,
    execArgv: [],
    env: { ...env, NODE_OPTIONS: forEnvironment(execArgv) },
  });
}

/**
 * forEnvironment gives the value of `NODE_OPTIONS` for flags of the engine, which the standalone program takes from nowhere else. Node.js ends
 * a process with one that it does not allow there. These are left out: what they do is worth something, and not needed.
 */
export function forEnvironment(flags: readonly string[]): string {
  return flags.filter((flag) => process.allowedNodeEnvironmentFlags.has(flag)).join(' ');
}

let folder = import.meta.dirname;

/** useProgramsOf takes the programs of a folder that was built, where this file itself runs from its source: they start in a tenth of the time. */
export function useProgramsOf(built: string): void {
  folder = built;
}

/** The program that the package emits beside its others, else its source. */
function emitted(name: ThreadName | ProcessName): string {
  const path = join(folder, `${name}.cjs`);
  return existsSync(path) ? path : join(import.meta.dirname, `../../../daemon/${name}.ts`);
}

/** The standalone program has no files: a thread of it evaluates what loads its programs (`scripts/binary/loader.ts`) from a text. */
function inBinary(name: ThreadName): URL {
  const text = [
    `import { compileFunction } from 'node:vm';`,
    `import { createRequire } from 'node:module';`,
    `import { getAsset } from 'node:sea';`,
    `const loader = { exports: {} };`,
    `compileFunction(getAsset('loader.cjs', 'utf8'), ['module', 'exports', 'require'])(loader, loader.exports, createRequire('/'));`,
    `loader.exports.load('dist/${name}.cjs');`,
  ].join('\n');
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
}
