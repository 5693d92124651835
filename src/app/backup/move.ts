import { BackupError, copyParts, tableContents, type BackupHeader } from '../../backup/index.ts';
import type { Clock } from '../../base/index.ts';
import type { ClusterSettings } from '../config/cluster.ts';
import { holdStopped } from './at-work.ts';

/** MoveOptions say from where to where. */
export interface MoveOptions {
  readonly from: string;
  /** Address of an empty database. */
  readonly to: string;
  readonly lockFile: string | null;
  readonly cluster: ClusterSettings | undefined;
  readonly program: string;
  readonly clock: Clock;
  readonly progress?: ((rows: number) => void) | undefined;
}

/** MovedDatabase is what was moved. */
export interface MovedDatabase {
  readonly header: BackupHeader;
  readonly tables: number;
  readonly rows: number;
}

/**
 * moveDatabase copies a whole database into an empty one of either engine, and reads it again there: every table must have the same content.
 * What a restore changes (epoch, paused channels) stays as it is, since nothing was lost. Throws BackupError, StoreError.
 */
export async function moveDatabase(options: MoveOptions): Promise<MovedDatabase> {
  const { from, to, lockFile, cluster, program, clock, progress } = options;
  const { fillDatabase, newestMigration, refuseUnlessEmpty, withSnapshot } =
    await import('../../store/index.ts');
  await refuseUnlessEmpty(to);
  const unlock = await holdStopped({ database: from, lockFile, cluster, program, clock });
  try {
    const by = { created_at: clock.now(), program };
    const { header, end } = await withSnapshot(from, by, async (source) => {
      const last = source.header.migrations.at(-1);
      if (last !== newestMigration)
        throw new BackupError(
          'migration',
          `the database is that of release ${source.header.release} (${last})`,
          {
            hint: 'Run ipo migrate on it first; nothing was changed',
          },
        );
      return fillDatabase(to, copyParts(source), {
        name: 'the copy',
        now: () => clock.now(),
        progress,
      });
    });
    const there = await withSnapshot(to, by, tableContents);
    for (const [at, { name, rows, sha256 }] of end.tables.entries()) {
      const found = there[at];
      if (found?.name !== name || found.rows !== rows || found.sha256 !== sha256)
        throw new BackupError('integrity', `the table ${name} is not the same in both databases`, {
          hint: 'Go on with the database that the service had; delete the other',
        });
    }
    return { header, tables: there.length, rows: there.reduce((sum, { rows }) => sum + rows, 0) };
  } finally {
    unlock();
  }
}
