import { sql, type Kysely } from 'kysely';
import type { BackupHeader, BackupSource, BackupTable } from '../../backup/index.ts';
import { connect } from '../engine/connect.ts';
import { parseLocation } from '../engine/location.ts';
import { checkedHistory } from '../engine/schema-check.ts';
import { treeReader } from '../ledger/tree.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { beginSnapshot, endSnapshot, lastIdOf } from '../sql/dialect-backup.ts';
import { engineOf, hexOf, tableNames } from '../sql/dialect.ts';
import { readCells, run, type Row } from '../sql/run.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Tables } from '../tables/index.ts';
import { tablesAt, type TableShape } from './shape.ts';

/** Characters of a page, about; and rows of one at most. */
const PAGE_CHARACTERS = 100_000;
const PAGE_ROWS = 500;

/**
 * withSnapshot runs an act on one moment of a database of this release or an earlier one, only for reading: others go on writing. Throws
 * StoreError.
 */
export async function withSnapshot<T>(
  url: string,
  by: Pick<BackupHeader, 'created_at' | 'program'>,
  act: (source: BackupSource) => Promise<T>,
): Promise<T> {
  const location = parseLocation(url);
  const options = { readOnly: true, mustExist: true, poolSize: 1, statementTimeout: 0 };
  const db = await connect<Tables>(location, options);
  try {
    return await db.connection().execute(async (session) => {
      await beginSnapshot(session);
      try {
        return await act(await sourceOf(session, location.name, by));
      } finally {
        await endSnapshot(session);
      }
    });
  } finally {
    await db.destroy();
  }
}

async function sourceOf(
  session: Kysely<Tables>,
  database: string,
  by: Pick<BackupHeader, 'created_at' | 'program'>,
): Promise<BackupSource> {
  const applied = await checkedHistory(session, database, MIGRATIONS);
  const last = applied.at(-1);
  if (last === undefined)
    throw new StoreError('migration', `${database} holds nothing yet`, {
      hint: 'Name the database that the service works on',
    });
  const shapes = await tablesAt(applied.length);
  const header: BackupHeader = {
    ...by,
    engine: engineOf(session),
    installation: await setting(session, 'installation_id'),
    migrations: applied.map(({ name }) => name),
    release: last.release,
    ledger: await ledgerOf(session),
    credentials: await credentialsOf(session),
    tables: shapes.map(({ name, columns }) => ({ name, columns })),
  };
  const byName = new Map(shapes.map((shape) => [shape.name, shape]));
  return {
    header,
    lastId: (table) => lastIdOf(session, table),
    rows: (table) => pagesOf(session, byName.get(table.name) ?? { ...table, key: [] }),
  };
}

/** All rows by their key. Pages grow or shrink to a size, since a row may hold an archive. */
async function* pagesOf(
  session: Kysely<Tables>,
  { name, columns, key }: TableShape,
): AsyncGenerator<readonly (readonly unknown[])[], void, undefined> {
  const names = Object.keys(columns);
  const cells = sql.join(
    names.map((column) =>
      columns[column] === 'blob' ? sql`${hexOf(session, column)} as ${sql.id(column)}` : sql.id(column),
    ),
  );
  const keys = sql.join(key.map((column) => sql.id(column)));
  const places = key.map((column) => names.indexOf(column));
  let after: readonly unknown[] | null = null;
  for (let limit = 64; ;) {
    const beyond = after === null ? sql`` : sql`where (${keys}) > (${sql.join(after)})`;
    const page: readonly (readonly unknown[])[] = await readCells(
      session,
      sql`select ${cells} from ${sql.table(name)} ${beyond} order by ${keys} limit ${limit}`,
    );
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    after = places.map((place) => keyCell(last[place], columns[names[place] ?? '']));
    limit = nextLimit(page, limit);
  }
}

function keyCell(cell: unknown, type: BackupTable['columns'][string] | undefined): unknown {
  return type === 'blob' && typeof cell === 'string' ? Buffer.from(cell, 'hex') : cell;
}

function nextLimit(page: readonly (readonly unknown[])[], limit: number): number {
  let characters = 1;
  for (const row of page)
    for (const cell of row) characters += typeof cell === 'string' ? cell.length + 4 : 8;
  const fitting = Math.floor((page.length * PAGE_CHARACTERS) / characters);
  return Math.max(1, Math.min(PAGE_ROWS, fitting, limit * 8));
}

async function setting(session: Kysely<Tables>, key: string): Promise<string | null> {
  if (!(await tableNames(session)).includes('settings')) return null;
  const [found] = await run(
    session,
    sql<Row<'settings', 'value'>>`select value from settings where key = ${key}`,
  );
  return found?.value ?? null;
}

/** Before release 0.3.4 the rows stood in `ledger`, and nothing was signed. */
async function ledgerOf(session: Kysely<Tables>): Promise<BackupHeader['ledger']> {
  if ((await tableNames(session)).includes('ledger_head')) {
    const tree = treeReader(session);
    const checkpoint = (await tree.newestCheckpoint())?.note ?? null;
    return { rows: await tree.rows(), checkpoint, key: await tree.key() };
  }
  if (!(await tableNames(session)).includes('ledger')) return { rows: 0, checkpoint: null, key: null };
  const [found] = await run(session, sql<{ rows: number }>`select count(*) as rows from ledger`);
  return { rows: found?.rows ?? 0, checkpoint: null, key: null };
}

async function credentialsOf(session: Kysely<Tables>): Promise<BackupHeader['credentials']> {
  if (!(await tableNames(session)).includes('channel_credentials')) return [];
  const rows = await run(
    session,
    sql<
      Row<'channels', 'name'> & { count: number }
    >`select c.name, count(*) as count from channel_credentials k
      join channels c on c.id = k.channel_id where k.value like 'enc:%' group by c.id, c.name order by c.name, c.id`,
  );
  return rows.map(({ name, count }) => ({ channel: name, count }));
}
