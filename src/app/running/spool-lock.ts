import { join } from 'node:path';
import { lockFile } from '../../store/index.ts';
import { openDataDirectory } from './data-directory.ts';

/**
 * lockSpool takes the directory of a spool only for this process, and gives what lets go of it. Throws `unwritable`, and `unavailable`
 * while another process works there.
 */
export async function lockSpool(directory: string): Promise<() => void> {
  await openDataDirectory(directory);
  return lockFile(join(directory, 'spool.lock'));
}
