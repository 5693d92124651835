import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, sep } from 'node:path';

/** findProgram gives where a program is, by its path or by its name in the PATH; null where it cannot be run from. */
export async function findProgram(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const places =
    isAbsolute(name) || name.includes(sep)
      ? [name]
      : (env['PATH'] ?? '')
          .split(delimiter)
          .filter((folder) => isAbsolute(folder))
          .map((folder) => join(folder, name));
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      if ((await stat(place)).isFile()) return place;
    } catch {
      // The next.
    }
  }
  return null;
}
