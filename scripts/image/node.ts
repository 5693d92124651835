import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAMES, type Architecture } from './pins.ts';

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
    execFileSync('tar', ['-xzf', packed, 'package/bin/node'], { cwd: folder });
  }
  return { version, path };
}
