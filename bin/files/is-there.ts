import type { CliParts } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';

/** isThere tells whether a path is taken. What cannot be read for another reason than that it is missing is there. */
export async function isThere(path: string, parts: Pick<CliParts, 'readText'>): Promise<boolean> {
  try {
    await parts.readText(path, 0);
    return true;
  } catch (error) {
    const code = isIpoError(error) ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
