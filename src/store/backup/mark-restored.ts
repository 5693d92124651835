import { sql } from 'kysely';
import { successorOf } from '../../ledger/index.ts';
import type { Executor } from '../sql/run.ts';
import { run } from '../sql/run.ts';

/** LostLog is a log that had signed rows after the backup, and the checkpoint that proves it. */
export interface LostLog {
  readonly origin: string;
  readonly vkey: string;
  /** Rows that it had signed. */
  readonly size: number;
  readonly note: string;
}

/** Restored is what is noted of a restore. Times are UTC milliseconds. */
export interface Restored {
  readonly at: number;
  readonly backupAt: number;
  readonly sha256: string;
  /** Part of every marker that is made from then on: of no two restores. */
  readonly epoch: string;
  /** Rows of the ledger. */
  readonly rows: number;
  readonly lost: LostLog | null;
}

const DROPPED = 'dropped: the service was restored from a backup';

/**
 * markRestored leaves what a restored service needs to know, in the transaction that restores it: its epoch, channels that wait for a
 * person, no message from before, and the log that ended where rows were lost.
 */
export async function markRestored(transaction: Executor, restored: Restored): Promise<void> {
  const { at, backupAt, sha256, epoch, rows, lost } = restored;
  await run(
    transaction,
    sql`insert into restores (restored_at, backup_at, sha256, epoch, ledger_size, lost_to)
      values (${at}, ${backupAt}, ${sha256}, ${epoch}, ${rows}, ${lost?.size ?? null})`,
  );
  await run(
    transaction,
    sql`update channels set resume_asked_at = null, resume_error = null,
      paused_since = case when paused_since < ${backupAt} then paused_since else ${backupAt} end`,
  );
  await run(transaction, sql`delete from outbox`);
  await run(
    transaction,
    sql`update deliveries set state = 'failed', ended_at = ${at}, last_error = ${DROPPED} where state = 'waiting'`,
  );
  await run(
    transaction,
    sql`update backups set finished_at = ${at}, last_error = 'the service was restored from a backup' where finished_at is null`,
  );
  if (lost !== null) await endLog(transaction, lost, restored);
  await run(
    transaction,
    sql`insert into audit (at, actor_id, actor, action, target, path, detail) values (${at}, null, '', 'backup_restore', null, 'ipo backup restore',
      ${JSON.stringify({ backup_at: backupAt, sha256, rows, lost_to: lost?.size ?? null })})`,
  );
}

/** The log goes on under a name of its own, so that none signs two histories; its first checkpoint covers the rows that are here. */
async function endLog(
  transaction: Executor,
  { origin, vkey, size, note }: LostLog,
  { at, epoch, rows }: Restored,
): Promise<void> {
  const successor = successorOf(origin, epoch);
  await run(
    transaction,
    sql`insert into ledger_logs (origin, vkey, size, lost_to, note, ended_at, successor)
      values (${origin}, ${vkey}, ${rows}, ${size}, ${note}, ${at}, ${successor})`,
  );
  await run(transaction, sql`delete from checkpoints`);
  await run(transaction, sql`delete from settings where key = 'ledger_key'`);
  await run(
    transaction,
    sql`insert into settings (key, value) values ('ledger_origin', ${successor}) on conflict (key) do update set value = excluded.value`,
  );
}
