import { existsSync } from 'node:fs';
import { connect, prepare } from './connect.ts';
import type { AppliedMigration } from '../migrations/history.ts';
import { parseLocation, type StoreLocation } from './location.ts';
import type { MigrationWatch } from './migrate.ts';
import { MIGRATIONS, type Migration } from '../migrations/index.ts';
import { isMissingDatabase } from './postgres-faults.ts';
import { checkedHistory } from './schema-check.ts';

/** PlannedMigration is a step of the history and whether a database has gone through it. */
export interface PlannedMigration {
  readonly name: string;
  readonly release: string;
  readonly summary: string;
  /** Milliseconds since 1970 UTC; null while it is due. */
  readonly appliedAt: number | null;
}

/** MigrationPlan is where a database stands in the history. */
export interface MigrationPlan {
  /** Name of the database, without its password. */
  readonly database: string;
  readonly engine: StoreLocation['engine'];
  /** False when there is no such file, or no such database on the server. */
  readonly exists: boolean;
  readonly migrations: readonly PlannedMigration[];
}

/** PlanOptions are those of the plan; times in milliseconds. */
export interface PlanOptions {
  /** How long another process may be at migrating before this one gives up (10 min). */
  readonly wait?: number;
  readonly now?: () => number;
  readonly migrations?: readonly Migration[];
}

/** planMigrations tells which steps a database has gone through and which are due. It writes nothing. Throws StoreError. */
export async function planMigrations(url: string, options: PlanOptions = {}): Promise<MigrationPlan> {
  const location = parseLocation(url);
  const { engine, name: database } = location;
  const { migrations = MIGRATIONS } = options;
  const plan = (exists: boolean, applied: readonly AppliedMigration[]): MigrationPlan => ({
    database,
    engine,
    exists,
    migrations: migrations.map(({ name, release, summary }, i) => ({
      name,
      release,
      summary,
      appliedAt: applied[i]?.applied_at ?? null,
    })),
  });
  if (location.engine === 'sqlite' && !existsSync(location.file)) return plan(false, []);
  const db = await connect<never>(location, { readOnly: true, mustExist: true, poolSize: 1 });
  try {
    return plan(true, await checkedHistory(db, database, migrations));
  } catch (error) {
    if (isMissingDatabase(error)) return plan(false, []);
    throw error;
  } finally {
    await db.destroy();
  }
}

/**
 * runMigrations brings a database to the newest schema, created where it is a file that does not exist, and reports each step that it
 * applies. Throws StoreError.
 */
export async function runMigrations(
  url: string,
  watch: MigrationWatch,
  options: PlanOptions = {},
): Promise<MigrationPlan> {
  await prepare(parseLocation(url), true, { ...options, watch, readOnly: false, mustExist: false });
  return planMigrations(url, options);
}
