import { writeStreamWhole } from '../../adapters/files/index.ts';
import {
  sealKeys,
  writeBackup,
  type BackupHeader,
  type BackupKey,
  type Written,
} from '../../backup/index.ts';
import type { Clock, Secret } from '../../base/index.ts';

/** CreateBackupOptions say what is saved, and where. */
export interface CreateBackupOptions {
  readonly database: string;
  /** Path of the file. */
  readonly out: string;
  /** Keys that go along, under a passphrase; null for none. */
  readonly keys: { readonly keys: readonly BackupKey[]; readonly passphrase: Secret } | null;
  /** Name and version of the program. */
  readonly program: string;
  readonly clock: Clock;
  readonly progress?: (rows: number) => void;
}

/** CreatedBackup is a backup that was written whole. */
export interface CreatedBackup extends Written {
  readonly header: BackupHeader;
}

/** createBackup saves one moment of a database into a file, which is there whole or not at all. Others go on writing. Throws StoreError, FileError. */
export async function createBackup(options: CreateBackupOptions): Promise<CreatedBackup> {
  const { database, out, keys, program, clock, progress } = options;
  const { withSnapshot } = await import('../../store/index.ts');
  return withSnapshot(database, { created_at: clock.now(), program }, async (source) => {
    const { header } = source;
    const sealed = keys === null ? null : await sealKeys(keys.keys, keys.passphrase, header);
    let written: Written | null = null;
    const bytes = writeBackup(source, sealed, (done) => (written = done), progress);
    await writeStreamWhole(out, bytes, { asIs: true });
    if (written === null) throw new Error('a backup was not written');
    return { header, ...(written as Written) };
  });
}
