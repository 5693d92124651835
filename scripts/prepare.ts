import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * What npm runs after an install in a clone, and before each `npx ipo` there: the build, but for what is built already; and links to the
 * programs where npm puts those of other packages.
 */
const ROOT = resolve(import.meta.dirname, '..');
const INPUTS = ['bin', 'daemon', 'src', 'scripts', 'package.json', 'package-lock.json'];

/** When anything below was written last, in milliseconds; folders count, since a file that is gone leaves its time there. */
function writtenAt(path: string): number {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  const below = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(own.mtimeMs, ...below.map((name) => statSync(join(path, name)).mtimeMs));
}

// What the build emits last.
const built = join(ROOT, 'dist/lib');
const changedAt = Math.max(...INPUTS.map((name) => writtenAt(join(ROOT, name))));
if (!existsSync(built) || statSync(built).mtimeMs <= changedAt) await import('./build.ts');

const links = join(ROOT, 'node_modules/.bin');
if (process.platform !== 'win32' && existsSync(join(ROOT, 'node_modules'))) {
  mkdirSync(links, { recursive: true });
  for (const [name, program] of [
    ['ipo', 'bin/ipo.cjs'],
    ['ipod', 'daemon/ipod.cjs'],
  ] as const)
    if (lstatSync(join(links, name), { throwIfNoEntry: false }) === undefined)
      symlinkSync(join('../..', program), join(links, name));
}
