import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after } from 'node:test';
import { build } from 'esbuild';

/** JoinedProgram is a program of a test in one file, and where what is compiled of it is kept for its next start. */
export interface JoinedProgram {
  readonly file: string;
  readonly env: { readonly NODE_COMPILE_CACHE: string };
}

const folder = mkdtempSync(join(tmpdir(), 'ipo-joined-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const made = new Map<string, Promise<JoinedProgram>>();

/**
 * joinProgram joins a program with all that it imports into one file, once, which goes with the tests of the process: hundreds of modules take
 * longer to find and link than a child lives that is killed. Such a child calls `flushCompileCache` before, since Node writes it at the end.
 */
export function joinProgram(entry: string): Promise<JoinedProgram> {
  const known = made.get(entry) ?? bundled(entry);
  made.set(entry, known);
  return known;
}

async function bundled(entry: string): Promise<JoinedProgram> {
  const file = join(folder, `${basename(entry, '.ts')}.mjs`);
  await bundleProgram(entry, file);
  return { file, env: { NODE_COMPILE_CACHE: join(folder, 'cache') } };
}

/** bundleProgram writes a program with all that it imports, but native code, into one file. */
export async function bundleProgram(entry: string, outfile: string): Promise<void> {
  const native = new URL(import.meta.resolve('better-sqlite3')).href;
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.filename)});`,
    },
    logLevel: 'error',
    plugins: [
      {
        name: 'native',
        setup: (plugin) =>
          plugin.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: native, external: true })),
      },
    ],
  });
}
