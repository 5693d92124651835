import { Kysely } from 'kysely';
import { readSchema, type SchemaPart } from '../sql/dialect-schema.ts';
import { createHistory, readHistory, type AppliedMigration } from '../migrations/history.ts';
import type { Migration } from '../migrations/index.ts';
import type { AnyDatabase } from '../sql/schema.ts';
import { openMemory } from './sqlite.ts';
import { StoreError } from '../sql/store-error.ts';

/**
 * checkedHistory gives the steps that a database has gone through, as `readHistory` does, once its tables are found to be those that
 * the steps make today. A step that was changed after it had been applied leaves a database that says it is up to date and is not: it
 * would fail later, in the middle of an admission. Throws StoreError `migration`.
 */
export async function checkedHistory(
  db: AnyDatabase,
  database: string,
  migrations: readonly Migration[],
): Promise<AppliedMigration[]> {
  let applied = await readHistory(db, database, migrations);
  for (;;) {
    if (applied.length === 0) return applied;
    const found = await readSchema(db);
    // Another process may be migrating: tables and history must be those of one moment.
    const again = await readHistory(db, database, migrations);
    if (again.length === applied.length) {
      compare(database, migrations, applied.length, found, await schemaAt(migrations, applied.length));
      return applied;
    }
    applied = again;
  }
}

/** requireNewest refuses a database that is not up to date, for those who may not change it. Throws StoreError `migration`. */
export async function requireNewest(
  db: AnyDatabase,
  database: string,
  migrations: readonly Migration[],
): Promise<void> {
  const applied = await checkedHistory(db, database, migrations);
  if (applied.length === migrations.length) return;
  const at = applied.at(-1);
  throw new StoreError(
    'migration',
    at === undefined
      ? `${database} holds nothing yet`
      : `${database} is that of release ${at.release} (${at.name}); ${migrations.length - applied.length} migrations are due`,
    {
      hint:
        at === undefined
          ? 'Check the address; the first start of a service makes its tables'
          : 'Make a backup; then run `ipo migrate`, or start this release of the service',
    },
  );
}

/** Tables and indexes that others put beside ours are theirs to keep; a table of ours from another step is not. */
function compare(
  database: string,
  migrations: readonly Migration[],
  level: number,
  found: readonly SchemaPart[],
  wanted: readonly SchemaPart[],
): void {
  const there = new Map(found.map((part) => [nameOf(part), part.is]));
  const differences: string[] = [];
  for (const part of wanted) {
    const name = nameOf(part);
    const has = there.get(name);
    if (has === undefined) differences.push(`${name} is missing`);
    else if (has !== part.is) differences.push(`${name} is "${has}" where "${part.is}" belongs`);
  }
  const ours = new Set(wanted.map(({ table }) => table));
  const names = new Set(wanted.map(nameOf));
  for (const part of found)
    if (ours.has(part.table) && !part.part.startsWith('index ') && !names.has(nameOf(part)))
      differences.push(`${nameOf(part)} is too many`);
  const [first] = differences;
  if (first === undefined) return;
  const rest = differences.length === 1 ? '' : `, and ${differences.length - 1} more`;
  throw new StoreError(
    'migration',
    `${database} does not have the schema that ${migrations[level - 1]?.name ?? 'its migrations'} leaves: ${first}${rest}`,
    {
      hint:
        'A development build made it before its migrations were changed, or it was changed by hand; nothing was changed now. ' +
        'Use an empty database, restore a backup, or run the build that made it',
    },
  );
}

function nameOf({ table, part }: Pick<SchemaPart, 'table' | 'part'>): string {
  return `${part} of ${table}`;
}

const known = new WeakMap<readonly Migration[], Map<number, Promise<readonly SchemaPart[]>>>();

/** schemaAt gives the tables that the first steps of a history make. What they make is found by taking them, in memory. */
export async function schemaAt(
  migrations: readonly Migration[],
  level: number,
): Promise<readonly SchemaPart[]> {
  const levels = known.get(migrations) ?? new Map<number, Promise<readonly SchemaPart[]>>();
  known.set(migrations, levels);
  const made = levels.get(level) ?? take(migrations, level);
  levels.set(level, made);
  return made;
}

async function take(migrations: readonly Migration[], level: number): Promise<readonly SchemaPart[]> {
  const db: AnyDatabase = new Kysely({ dialect: openMemory() });
  try {
    return await db.transaction().execute(async (transaction) => {
      await createHistory(transaction);
      for (const migration of migrations.slice(0, level)) await migration.up(transaction);
      return readSchema(transaction);
    });
  } finally {
    await db.destroy();
  }
}
