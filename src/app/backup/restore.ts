import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../adapters/files/index.ts';
import {
  BackupError,
  KEY_NAMES,
  openKeys,
  readBackup,
  type BackupHeader,
  type BackupKey,
  type BackupPart,
} from '../../backup/index.ts';
import { IpoError, isIpoError, randomLetters, type Clock, type Secret } from '../../base/index.ts';
import { judgeAnchored, parseVkey, type KeptCheckpoint, type TreeReader } from '../../ledger/index.ts';
import type { LostLog } from '../../store/index.ts';
import { openBackup, type BackupPlace } from './registry.ts';

/** RestoreOptions say what is restored, and into what. */
export interface RestoreOptions extends BackupPlace {
  /** Address of an empty database. */
  readonly database: string;
  /** Checkpoints that were stored outside the service, those of anchors among them. */
  readonly kept: readonly KeptCheckpoint[];
  /** Whether rows may be lost that one of them proves. */
  readonly lostRows: boolean;
  /** Where the keys of the backup are written, and what opens them; null for no keys. */
  readonly keys: { readonly directory: string; readonly passphrase: Secret } | null;
  readonly clock: Clock;
  readonly progress?: ((rows: number) => void) | undefined;
}

/** RestoredBackup is what was restored. */
export interface RestoredBackup {
  readonly header: BackupHeader;
  readonly end: Extract<BackupPart, { part: 'end' }>;
  readonly epoch: string;
  readonly lost: LostLog | null;
  /** Paths of the keys that were written. */
  readonly keys: readonly string[];
  /** Whether the backup holds keys. */
  readonly holdsKeys: boolean;
}

/**
 * restoreBackup restores a backup into an empty database of either engine: whole, or not at all. Its channels are paused from then on. Throws
 * BackupError (`integrity` where a kept checkpoint proves rows that the backup lacks, unless they may be lost), StoreError, FileError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { file, database, kept, clock, progress } = options;
  const { fillDatabase, markRestored, refuseUnlessEmpty, treeReader } = await import('../../store/index.ts');
  const name = file === '-' ? 'stdin' : file;
  await refuseUnlessEmpty(database);
  const epoch = randomLetters(8);
  let opened: readonly BackupKey[] = [];
  let holdsKeys = false;
  let lost: LostLog | null = null;
  const written: string[] = [];
  try {
    const raw = await openBackup(options);
    const { header, end } = await fillDatabase(database, readBackup(raw, name), {
      name,
      now: () => clock.now(),
      progress,
      begun: async (part) => {
        holdsKeys = part.keys !== null;
        opened = await keysOf(part, options, name);
        lost = lostOf(part.header, options, name);
      },
      finish: async (transaction, { header: of, end: whole }) => {
        await holdKept(of, kept, treeReader(transaction), name);
        await markRestored(transaction, {
          at: clock.now(),
          backupAt: of.created_at,
          sha256: whole.sha256,
          epoch,
          rows: of.ledger.rows,
          lost,
        });
        if (options.keys !== null) await writeKeys(opened, options.keys.directory, written);
      },
    });
    return { header, end, epoch, lost, keys: written, holdsKeys };
  } catch (error) {
    await Promise.all(written.map((path) => rm(path, { force: true })));
    throw error;
  }
}

async function keysOf(
  { keys, header }: Extract<BackupPart, { part: 'header' }>,
  { keys: wanted }: RestoreOptions,
  name: string,
): Promise<readonly BackupKey[]> {
  if (wanted === null) return [];
  if (keys === null)
    throw new BackupError('usage', `${name} holds no keys`, {
      hint: 'Leave --keys-to out; only a backup that was made with --with-keys holds keys',
    });
  return openKeys(keys, wanted.passphrase, header);
}

/** What the log has lost by the largest checkpoint that was kept; null where nothing is. */
function lostOf({ ledger }: BackupHeader, { kept, lostRows }: RestoreOptions, name: string): LostLog | null {
  const [newest] = kept.toSorted((a, b) => b.checkpoint.size - a.checkpoint.size);
  if (newest === undefined || newest.checkpoint.size <= ledger.rows) return null;
  const { size, origin } = newest.checkpoint;
  const lost = size - ledger.rows;
  if (!lostRows)
    throw new BackupError(
      'integrity',
      `${name} is older than the checkpoint of ${size} rows that is kept in ${newest.source}: it has ${ledger.rows}, so ${lost === 1 ? '1 row' : `${lost} rows`} would be lost`,
      {
        hint: 'Restore a newer backup. With --lost-rows the log goes on under a new name, and every verification reports the gap',
      },
    );
  return { origin, vkey: ledger.key ?? '', size, note: newest.note };
}

/** Holds kept checkpoints against the restored tree. */
async function holdKept(
  { ledger }: BackupHeader,
  kept: readonly KeptCheckpoint[],
  tree: TreeReader,
  name: string,
): Promise<void> {
  if (ledger.key === null) return;
  const key = parseVkey(ledger.key);
  const size = await tree.size();
  for (const { note, source, checkpoint } of kept) {
    const judged = await judgeAnchored([note], key, tree);
    // Rows that the tree does not cover yet are there, or were found to be lost before.
    if (judged.reason === null || (judged.reason === 'ahead' && checkpoint.size > size)) continue;
    throw new BackupError(
      'integrity',
      `${name} is a backup of another ledger than that of ${source}: ${judged.text}`,
      {
        hint: 'Nothing was restored. Check that backup and checkpoint are of the same service',
      },
    );
  }
}

async function writeKeys(keys: readonly BackupKey[], directory: string, written: string[]): Promise<void> {
  try {
    await makeDirectory(directory, 0o700);
    for (const { name, value } of keys) {
      const path = join(directory, KEY_NAMES[name]);
      const handle = await open(path, 'wx', 0o600);
      written.push(path);
      try {
        await handle.writeFile(value.endsWith('\n') ? value : `${value}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  } catch (cause) {
    if (isIpoError(cause)) throw cause;
    const { code, path } = cause as NodeJS.ErrnoException;
    throw new IpoError(
      'unwritable',
      code === 'EEXIST'
        ? `${path} is there already: a key is never overwritten`
        : `the keys cannot be written to ${directory} (${code ?? 'unknown fault'})`,
      { hint: 'Nothing was restored. Name another directory with --keys-to', cause },
    );
  }
}
