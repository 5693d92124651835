import { access, constants, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../../adapters/files/index.ts';
import { IpoError } from '../../base/index.ts';
import type { Settings } from '../config/settings.ts';

/** Places are where a service keeps what is its own; each an absolute path but for the address of the database. */
export interface Places {
  /** `sqlite:PATH` or `postgres://…`; may hold a password. */
  readonly databaseUrl: string;
  /** `sqlite:PATH` of the database that stands in the directory unless a setting names another; null where there is no directory. */
  readonly ownDatabaseUrl: string | null;
  /** Says which database the directory belongs to, where that is another; null where there is no directory. */
  readonly markFile: string | null;
  readonly keyFile: string;
  /** The key that signs evidence packages. */
  readonly evidenceKeyFile: string;
  /** Where what is too large for memory stands for a while; null for the directory of the system. */
  readonly scratchDirectory: string | null;
  readonly spoolDirectory: string;
  /** Where backups of the schedule are written. */
  readonly backupDirectory: string;
  /** Held by the process that works here; null where there is no directory of its own. */
  readonly lockFile: string | null;
}

/** placesOf settles where everything is: in `data`, unless a setting says otherwise. */
export function placesOf({ data, database, ledger, evidence, backup }: Settings): Places {
  const inData = (name: string): string => join(resolve(data ?? '.'), name);
  const own = `sqlite:${inData('ipo.db')}`;
  return {
    databaseUrl: database.url?.reveal() ?? own,
    ownDatabaseUrl: data === undefined ? null : own,
    markFile: data === undefined ? null : inData('database.json'),
    keyFile: ledger.keyFile === undefined ? inData('ledger-key.pem') : resolve(ledger.keyFile),
    evidenceKeyFile: evidence.keyFile === undefined ? inData('evidence-key.pem') : resolve(evidence.keyFile),
    scratchDirectory: data === undefined ? null : inData('scratch'),
    spoolDirectory: ledger.spool.directory === undefined ? inData('spool') : resolve(ledger.spool.directory),
    backupDirectory: backup.directory === undefined ? inData('backups') : resolve(backup.directory),
    lockFile: data === undefined ? null : inData('service.lock'),
  };
}

/**
 * openDataDirectory makes the directory where it is missing, only for its owner, and holds that it can be worked in. Throws `unwritable`.
 */
export async function openDataDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path, 0o700);
    if (!(await stat(path)).isDirectory())
      throw Object.assign(new Error('no directory'), { code: 'ENOTDIR' });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown fault';
    const [what, hint] = SENTENCES[code] ?? [`cannot be used (${code})`, undefined];
    throw new IpoError('unwritable', `the directory ${path} ${what}`, { hint, cause: error });
  }
}

const SENTENCES: Readonly<Record<string, readonly [string, string]>> = {
  EACCES: [
    'is not writable for this user',
    'Give this user the directory, or choose another with --data or the setting data',
  ],
  EPERM: [
    'is not writable for this user',
    'Give this user the directory, or choose another with --data or the setting data',
  ],
  EROFS: [
    'is on a file system that is read-only',
    'Mount a volume there, or name another directory with data',
  ],
  ENOTDIR: ['is a file, or is below one', 'Choose another directory with --data or the setting data'],
  EEXIST: ['is a file', 'Choose another directory with --data or the setting data'],
  ENOENT: [
    'cannot be made: its file system does not allow new directories',
    'Choose another directory with --data or the setting data',
  ],
  ENOSPC: ['cannot be made: no space is left on the device', 'Make room'],
};
