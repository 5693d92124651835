import { sql } from 'kysely';
import { engineOf } from './dialect.ts';
import { run, type Executor } from './run.ts';

/** TURNS are the turns that transactions take: numbers that no other program takes in the same database. */
const TURNS = { runtime_events: 7_103_500_352, runtime_rules: 7_103_500_353 } as const;

/**
 * takeTurn keeps everybody else who takes the same turn waiting until the transaction ends, so that ids are given out in the order of the
 * commits. A transaction of SQLite holds the file's write lock from its beginning; in PostgreSQL an advisory lock is taken.
 */
export async function takeTurn(transaction: Executor, turn: keyof typeof TURNS): Promise<void> {
  if (engineOf(transaction) === 'postgres')
    await run(transaction, sql`select pg_advisory_xact_lock(${TURNS[turn]})`);
}
