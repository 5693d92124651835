import type { CliParts } from '../../src/app/index.ts';
import { printable } from '../../src/base/index.ts';
import { UsageError } from '../terminal/usage.ts';
import { isThere } from './is-there.ts';

/** alreadyThere is the error on a file that a command would overwrite. Exit code 2. */
export function alreadyThere(path: string, mayForce = false): UsageError {
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
