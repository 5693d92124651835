import { engineOf, runText } from './dialect.ts';
import type { AnyDatabase } from './schema.ts';

/** Any number that no other program takes in the same database. */
const MIGRATION_LOCK = 7_103_500_351;

/**
 * lockMigrations keeps every other process from migrating the same tables until the transaction ends, however it ends; throws StoreError
 * `unavailable` after `wait` milliseconds. A transaction of SQLite holds the file's write lock from its beginning; in PostgreSQL advisory locks
 * are taken: one for the schema that the tables stand in, and a share of the one that earlier releases take for the whole database.
 */
export async function lockMigrations(
  transaction: Pick<AnyDatabase, 'getExecutor'>,
  wait: number,
): Promise<void> {
  if (engineOf(transaction) === 'sqlite') return;
  await runText(transaction, `select set_config('lock_timeout', ?, true)`, [String(wait)]);
  await runText(transaction, 'select pg_advisory_xact_lock_shared(?)', [MIGRATION_LOCK]);
  await runText(
    transaction,
    `select pg_advisory_xact_lock(hashtextextended(coalesce(current_schema(), ''), ?))`,
    [MIGRATION_LOCK],
  );
}
