import { sql } from 'kysely';
import type { BackupHistory, BackupRun } from '../../backup/index.ts';
import type { Happened } from '../../notify/index.ts';
import { writeEvents } from '../outbox/index.ts';
import { run, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

const MAX_ERROR = 1000;
/** Of a run whose process is gone. */
const ENDED = 'the service ended before the backup was written';
/** More than any list has. */
const ALL = 1_000_000;

type Columns = Row<
  'backups',
  'id' | 'started_at' | 'finished_at' | 'target' | 'bytes' | 'sha256' | 'ledger_size' | 'last_error'
>;

/** backupHistory keeps it in a database. */
export function backupHistory(store: Store): BackupHistory {
  const { read } = store;
  return {
    async list({ limit, offset }) {
      const rows = await run(
        read,
        sql<Columns>`select id, started_at, finished_at, target, bytes, sha256, ledger_size, last_error from backups
          order by started_at desc, id desc limit ${limit ?? ALL} offset ${offset}`,
      );
      const [counted] = await run(read, sql<{ total: number }>`select count(*) as total from backups`);
      return { items: rows.map(toRun), total: counted?.total ?? 0 };
    },
    async lastDone() {
      const [found] = await run(
        read,
        sql<{ last: number | null }>`select max(started_at) as last from backups where sha256 is not null`,
      );
      return found?.last ?? null;
    },
    begin: (at, target) =>
      store.write(async (transaction) => {
        const [made] = await run(
          transaction,
          sql<
            Row<'backups', 'id'>
          >`insert into backups (started_at, target) values (${at}, ${target}) returning id`,
        );
        return made?.id ?? 0;
      }),
    end: (id, at, outcome) =>
      store.write(async (transaction) => {
        const error = 'error' in outcome ? outcome.error.slice(0, MAX_ERROR) : null;
        const { bytes, sha256, ledgerRows } =
          'error' in outcome ? { bytes: null, sha256: null, ledgerRows: null } : outcome;
        await run(
          transaction,
          sql`update backups set finished_at = ${at}, bytes = ${bytes}, sha256 = ${sha256}, ledger_size = ${ledgerRows}, last_error = ${error}
            where id = ${id}`,
        );
        if ('error' in outcome && outcome.isTold)
          await writeEvents(transaction, [failed(outcome.error)], { at });
      }),
    giveUp: (before, at) =>
      store.write(async (transaction) => {
        const lost = await run(
          transaction,
          sql<
            Row<'backups', 'id'>
          >`update backups set finished_at = ${at}, last_error = ${ENDED} where finished_at is null and started_at < ${before} returning id`,
        );
        await writeEvents(
          transaction,
          lost.map(() => failed(ENDED)),
          { at },
        );
      }),
  };
}

const failed = (error: string): Happened => ({
  event: 'backup_failed',
  subject: 'backup',
  payload: { error },
});

function toRun(row: Columns): BackupRun {
  return {
    id: row.id,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    target: row.target,
    bytes: row.bytes,
    sha256: row.sha256,
    ledgerRows: row.ledger_size,
    error: row.last_error,
  };
}
