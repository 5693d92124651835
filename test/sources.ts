import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** ROOT is the folder of the project. */
export const ROOT = resolve(import.meta.dirname, '..');

/** SourceFile is a file of the project, by its path below ROOT, with what its imports name. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** sources reads the programs of a folder. */
export function sources(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|cjs)$/.test(entry.name))
    .map((entry) => {
      const path = relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/');
      const text = readFileSync(join(ROOT, path), 'utf8');
      const found = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g);
      const imports = [...found].map(([, target = '']) => target);
      return { path, text, imports };
    });
}

/** target gives the project file that a relative import names; null for a package. */
export function target(from: SourceFile, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return relative(ROOT, resolve(ROOT, dirname(from.path), specifier))
    .split(sep)
    .join('/');
}
