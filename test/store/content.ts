import { sha256Hex } from '../../src/base/index.ts';
import { engineOf, runText } from '../../src/store/sql/dialect.ts';
import type { AnyDatabase } from '../../src/store/sql/schema.ts';

type Handle = Pick<AnyDatabase, 'getExecutor'>;

const COLUMNS = {
  sqlite: `select m.name as "table", p.name as "column" from sqlite_master m join pragma_table_info(m.name) p
    where m.type = 'table' and m.name not like 'sqlite%'`,
  postgres: `select c.relname as "table", a.attname as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
};

/**
 * contentOf gives the columns and every row of every table as text, in an order of its own, so that two databases compare whatever the
 * engine.
 */
export async function contentOf(db: Handle): Promise<Map<string, string[]>> {
  const found = await runText<{ table: string; column: string }>(db, COLUMNS[engineOf(db)], []);
  const tables = Map.groupBy(found, ({ table }) => table);
  const content = new Map<string, string[]>();
  for (const table of [...tables.keys()].toSorted()) {
    const columns = (tables.get(table) ?? []).map(({ column }) => column).toSorted();
    const rows = await runText<Record<string, unknown>>(db, `select * from "${table}"`, []);
    const lines = rows.map((row) => JSON.stringify(columns.map((name) => plain(row[name]))));
    content.set(table, [columns.join(' '), ...lines.toSorted()]);
  }
  return content;
}

function plain(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString('hex') : value;
}

/** contentHash gives one hash of contentOf. */
export async function contentHash(db: Handle): Promise<string> {
  return sha256Hex(JSON.stringify([...(await contentOf(db))]));
}
