import { backupPlaces, type BackupPlaces } from '../../src/app/index.ts';
import { Secret } from '../../src/base/index.ts';
import { findDatabase } from '../files/index.ts';
import { openPrompts } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

/** PlaceOptions say which database is meant: named by itself, or that of a service. */
export interface PlaceOptions {
  readonly database?: string;
  readonly config?: string;
  readonly data?: string;
  readonly output: readonly string[];
}

/** Where is which database is meant, and the service that it belongs to where that was named. */
export interface Where {
  readonly database: string;
  readonly places: BackupPlaces | null;
}

/** findWhere settles which database a command means. Throws UsageError, ConfigError. */
export async function findWhere(
  { database, config, data }: Pick<PlaceOptions, 'database' | 'config' | 'data'>,
  { env }: Pick<Terminal, 'env'>,
): Promise<Where> {
  if (config === undefined && data === undefined) return { database: named(database, env), places: null };
  const places = await backupPlaces({ config, data }, env);
  return { database: database === undefined ? places.database : findDatabase(database, env), places };
}

/** The flags of these commands name more than a database. */
function named(database: string | undefined, env: Terminal['env']): string {
  try {
    return findDatabase(database, env);
  } catch (error) {
    if (!(error instanceof UsageError) || database !== undefined) throw error;
    throw new UsageError(
      error.message,
      'Give --data DIRECTORY or --config FILE of the service, or --database URL, or set IPO_DATABASE',
    );
  }
}

const LEAST = 12;

/** readPassphrase reads the passphrase of a backup: from the environment, else from a person. Throws UsageError. */
export async function readPassphrase(terminal: Terminal, isNew: boolean): Promise<Secret> {
  const given = terminal.env['IPO_BACKUP_PASSPHRASE'];
  if (given !== undefined && given !== '') return checked(given, isNew);
  const prompts = openPrompts(
    terminal,
    'the passphrase of the backup',
    'Set IPO_BACKUP_PASSPHRASE. There is no flag for it, because every process of this machine can read arguments',
  );
  const first = checked(await prompts.secret('Passphrase of the backup'), isNew);
  if (isNew && (await prompts.secret('The same once more')) !== first.reveal())
    throw new UsageError('the two passphrases differ; nothing was written');
  return first;
}

function checked(passphrase: string, isNew: boolean): Secret {
  if (isNew && passphrase.length < LEAST)
    throw new UsageError(
      `the passphrase has ${passphrase.length} characters; it needs ${LEAST} at least`,
      'Anyone who has the backup can try passphrases without limit. Use several random words',
    );
  return new Secret(passphrase);
}
