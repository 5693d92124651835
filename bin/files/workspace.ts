import { isAbsolute, relative, resolve } from 'node:path';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * fromWorkspace gives a file's path from the root of the checkout, where a pipeline says which that is: annotations and
 * code scanning find a file by no other. Elsewhere, and for a file outside of it, the path stays as it was given.
 */
export function fromWorkspace(file: string, env: Terminal['env']): string {
  const root = env.GITHUB_WORKSPACE ?? env.CI_PROJECT_DIR;
  if (root === undefined || root === '' || file === 'stdin') return file;
  const inside = relative(root, resolve(file));
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}
