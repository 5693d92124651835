import { setTimeout as sleep } from 'node:timers/promises';
import { lockMigrations } from '../sql/dialect-lock.ts';
import { encodingOf } from '../sql/dialect.ts';
import { createHistory, readHistory } from '../migrations/history.ts';
import type { Migration } from '../migrations/index.ts';
import type { AnyDatabase } from '../sql/schema.ts';
import { checkedHistory } from './schema-check.ts';
import { isBusy } from '../sql/sqlite-faults.ts';
import { StoreError } from '../sql/store-error.ts';

/** MigrationWatch is told of the steps of one process. */
export interface MigrationWatch {
  begun?(migration: Migration): void;
  applied?(migration: Migration): void;
}

/** MigrateOptions are what migrating needs to know; `wait` is in milliseconds. */
export interface MigrateOptions {
  /** Name of the database for messages. */
  readonly database: string;
  readonly migrations: readonly Migration[];
  readonly now: () => number;
  /** How long another process may hold the lock before this one gives up. */
  readonly wait: number;
  /** Told of each step that this process begins, and of each that it has applied. */
  readonly watch?: MigrationWatch;
}

/**
 * migrate brings a database to the newest schema, step by step. Each step is one transaction with its line of history under a lock of
 * the database, so that a process that is killed leaves it whole or absent, and of several that start at once exactly one applies it.
 * Throws StoreError.
 */
export async function migrate(db: AnyDatabase, options: MigrateOptions): Promise<void> {
  const { database, migrations } = options;
  if ((await checkedHistory(db, database, migrations)).length === migrations.length) return;
  const encoding = await encodingOf(db);
  if (encoding !== 'UTF8')
    throw new StoreError(
      'migration',
      `${database} has the encoding ${encoding}, which cannot hold every text`,
      {
        hint: 'Recreate it with the encoding UTF8',
      },
    );
  for (;;) {
    const migration = await waiting(options, () => step(db, options));
    if (migration === null) return;
    options.watch?.applied?.(migration);
  }
}

/** Applies the next step; null when another process has done the last one. */
function step(
  db: AnyDatabase,
  { database, migrations, now, wait, watch }: MigrateOptions,
): Promise<Migration | null> {
  return db.transaction().execute(async (transaction) => {
    await lockMigrations(transaction, wait);
    // Only now is it certain that nobody else is at it.
    const applied = await readHistory(transaction, database, migrations);
    const next = migrations[applied.length];
    if (next === undefined) return null;
    watch?.begun?.(next);
    if (applied.length === 0) await createHistory(transaction);
    try {
      await next.up(transaction);
    } catch (error) {
      throw failed(database, next, error);
    }
    const { name, release } = next;
    await transaction.insertInto('migrations').values({ name, release, applied_at: now() }).execute();
    return next;
  });
}

function failed(database: string, { name }: Migration, error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError('migration', `${name} failed in ${database}, and nothing of it was kept: ${reason}`, {
    hint: 'The database is as it was before this step; report it with the output under --verbose',
    cause: error,
  });
}

/** A step over a large ledger takes longer than a transaction waits for another. */
async function waiting<T>({ wait }: MigrateOptions, act: () => Promise<T>): Promise<T> {
  const end = performance.now() + wait;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const locked = error instanceof StoreError && isBusy(error.cause);
      if (!locked || performance.now() >= end) throw error;
    }
    await sleep(20);
  }
}
