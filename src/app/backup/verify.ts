import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeys, readBackup, type BackupHeader, type BackupPart } from '../../backup/index.ts';
import type { Clock, Secret } from '../../base/index.ts';
import { DataKey, openStored } from '../../channels/index.ts';
import {
  parseKept,
  verifyDatabase,
  type KeptCheckpoint,
  type NoteKey,
  type Verification,
} from '../../ledger/index.ts';
import { openLedgerDatabase } from '../doors/ledger-database.ts';
import { openBackup, type BackupPlace } from './registry.ts';

/** VerifyBackupOptions say which backup is verified, and against what. */
export interface VerifyBackupOptions extends BackupPlace {
  /** Checkpoints that were stored outside the service, and whose signature they must have; that of the backup where none is given. */
  readonly kept: readonly KeptCheckpoint[];
  readonly keys: readonly NoteKey[];
  /** Opens the keys in the backup, where it has any and this is given. */
  readonly passphrase: Secret | null;
  /** `DATA_KEY`, to try credentials with. */
  readonly dataKey: Secret | null;
  readonly clock: Clock;
  readonly progress?: ((rows: number) => void) | undefined;
}

/** VerifiedBackup is a backup that was restored for a moment. */
export interface VerifiedBackup {
  readonly header: BackupHeader;
  readonly end: Extract<BackupPart, { part: 'end' }>;
  /** Whether it holds keys, and whether the passphrase opened them; null where none was given. */
  readonly keys: 'none' | 'sealed' | 'opened';
  /** Credentials that are sealed, and of them those that do not open with `DATA_KEY`: all of them where it is not known. */
  readonly credentials: { readonly sealed: number; readonly unreadable: number };
  readonly ledger: Verification;
}

/**
 * verifyBackup restores a backup into a temporary file, brings it to this release, and holds the rows against the checkpoint inside and those
 * that were stored outside the service. Throws BackupError where the file itself is not what was written.
 */
export async function verifyBackup(options: VerifyBackupOptions): Promise<VerifiedBackup> {
  const { file, kept, keys, passphrase, dataKey, clock, progress } = options;
  const { fillDatabase } = await import('../../store/index.ts');
  const name = file === '-' ? 'stdin' : file;
  const folder = await mkdtemp(join(tmpdir(), 'ipo-backup-'));
  const url = `sqlite:${join(folder, 'restored.db')}`;
  try {
    let held: VerifiedBackup['keys'] = 'none';
    const raw = await openBackup(options);
    const { header, end } = await fillDatabase(url, readBackup(raw, name), {
      name,
      now: () => clock.now(),
      progress,
      begun: async (part) => {
        if (part.keys === null) return;
        held = 'sealed';
        if (passphrase === null) return;
        await openKeys(part.keys, passphrase, part.header);
        held = 'opened';
      },
    });
    const inside = header.ledger.checkpoint === null ? [] : parseKept(header.ledger.checkpoint, 'the backup');
    const database = await openLedgerDatabase(url);
    let ledger: Verification;
    try {
      // Threads would hash faster, and each take as much memory as all else.
      ledger = await verifyDatabase(database.tree, name, { keys, kept: [...inside, ...kept] });
    } finally {
      await database.close();
    }
    const credentials = await tryCredentials(url, header, dataKey);
    return { header, end, keys: held, credentials, ledger };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryCredentials(
  url: string,
  { credentials }: BackupHeader,
  key: Secret | null,
): Promise<VerifiedBackup['credentials']> {
  const sealed = credentials.reduce((sum, { count }) => sum + count, 0);
  if (key === null || sealed === 0) return { sealed, unreadable: sealed };
  const dataKey = DataKey.parse(key.reveal());
  const { channelStore, openStore } = await import('../../store/index.ts');
  const store = await openStore({ url, readOnly: true, poolSize: 1 });
  try {
    const all = await channelStore(store).credentials(null);
    const opened = all.filter((one) => one.value.startsWith('enc:') && openStored(dataKey, one) !== null);
    return { sealed, unreadable: sealed - opened.length };
  } finally {
    await store.close();
  }
}
