import { columnNames, runText, tableNames } from '../sql/dialect.ts';
import type { Migration } from './index.ts';
import { createTable, type AnyDatabase } from '../sql/schema.ts';
import { StoreError } from '../sql/store-error.ts';

/** AppliedMigration is a step that a database has gone through, and when. */
export interface AppliedMigration {
  readonly name: string;
  readonly release: string;
  readonly applied_at: number;
}

const COLUMNS = ['name', 'release', 'applied_at'];

/** createHistory makes the table of the steps in a database that holds nothing. */
export async function createHistory(db: AnyDatabase): Promise<void> {
  await createTable(
    db,
    'migrations',
    { name: 'text!', release: 'text!', applied_at: 'integer!' },
    { key: ['name'] },
  );
}

/**
 * readHistory gives the steps that a database has gone through, in order; none for a database that holds nothing. Throws StoreError
 * `migration` when it belongs to another program, or to another release than this history can follow.
 */
export async function readHistory(
  db: AnyDatabase,
  database: string,
  migrations: readonly Migration[],
): Promise<AppliedMigration[]> {
  const columns = await columnNames(db, 'migrations');
  if (columns.length === 0) {
    const [other] = await tableNames(db);
    if (other === undefined) return [];
    throw foreign(database, `it holds the table ${other} and no history of migrations`);
  }
  if (!COLUMNS.every((column) => columns.includes(column)))
    throw foreign(database, 'its table migrations is not that of ipo');
  const applied = await runText<AppliedMigration>(
    db,
    'select name, release, applied_at from migrations order by name',
    [],
  );
  applied.forEach(({ name, release }, i) => {
    const known = migrations[i];
    if (known === undefined) throw newer(database, name, release, migrations.at(-1));
    if (known.name !== name)
      throw new StoreError(
        'migration',
        `the history of ${database} holds ${name} where ${known.name} belongs`,
        {
          hint: 'It was changed by hand, or by a build that is not a release; restore a backup',
        },
      );
  });
  return applied;
}

function foreign(database: string, why: string): StoreError {
  return new StoreError('migration', `${database} is not a database of ipo: ${why}`, {
    hint: 'Name an empty database, or the right one; nothing was changed',
  });
}

function newer(database: string, name: string, release: string, last: Migration | undefined): StoreError {
  return new StoreError(
    'migration',
    `${database} was migrated by a newer release (${name} of ${release}); this program knows it up to ${last?.name ?? 'nothing'}`,
    {
      hint: `Run release ${release} or later, or restore a backup from before the upgrade: downgrades are not supported`,
    },
  );
}
