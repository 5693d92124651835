import { open } from 'node:fs/promises';
import type { CliParts } from '../../src/app/index.ts';
import { fileFaultOf, IpoError, printable } from '../../src/base/index.ts';
import { UsageError } from '../terminal/usage.ts';
import { isThere } from './is-there.ts';

/** alreadyThere is the error on a file that a command would overwrite. Exit code 2. */
function alreadyThere(path: string, mayForce = false): UsageError {
  return new UsageError(
    `${printable(path)} already exists`,
    mayForce ? 'Name another file, or give --force to overwrite it' : 'Name another file, or delete this one',
  );
}

/** assertNew refuses a path that is taken. Throws UsageError. */
export async function assertNew(
  path: string,
  parts: Pick<CliParts, 'readText'>,
  force?: boolean,
): Promise<void> {
  if (force !== true && (await isThere(path, parts))) throw alreadyThere(path, force !== undefined);
}

/** writeNew writes a secret into a new file that only its owner can read; a file that is there is never lost for it. Throws UsageError, `unwritable`. */
export async function writeNew(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    const { code = 'unknown fault' } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyThere(path);
    const known = fileFaultOf(cause);
    throw new IpoError('unwritable', known?.message ?? `cannot be written (${code})`, {
      place: { file: path },
      hint: known?.hint,
      cause,
    });
  }
}
