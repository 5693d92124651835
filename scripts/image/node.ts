import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHITECTURES, NAMES, type Architecture } from './pins.ts';

/**
 * nodeProgram gives the program of Node.js in the version of package-lock.json: the one that `npm ci` brought, or for another processor
 * the one that npm downloads into the cache.
 */
export function nodeProgram(
  root: string,
  cache: string,
  architecture: Architecture,
): { version: string; path: string } {
  const own = join(root, 'node_modules/node');
  const { version } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as { version: string };
  const name = NAMES[architecture].node;
  if (process.platform === 'linux' && process.arch === name) return { version, path: join(own, 'bin/node') };
  const folder = join(cache, `node-${version}-${architecture}`);
  const path = join(folder, 'package/bin/node');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const packed = execFileSync('npm', ['pack', '--silent', `node-linux-${name}@${version}`], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();
    execFileSync('tar', ['-xzf', packed, 'package/bin/node', 'package/LICENSE'], { cwd: folder });
  }
  return { version, path };
}

/** The licence of Node.js and of what is in it, which goes along with its program; `npm run image -- --pin` takes it from the package of npm. */
export const NODE_LICENCE = join(import.meta.dirname, 'LICENSE-NODE');

/** writeNodeLicence keeps the licence of the version in package-lock.json. The package of this machine's processor leaves none behind. */
export function writeNodeLicence(root: string, cache: string): void {
  const other = ARCHITECTURES.find((name) => NAMES[name].node !== process.arch) ?? 'arm64';
  const { path } = nodeProgram(root, cache, other);
  copyFileSync(join(path, '../../LICENSE'), NODE_LICENCE);
}
