import { closeSync, fsyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * A bare bulk insert: `backup-bare.ts FROM TO` reads every table of one file and inserts its rows into another, with the same tables and
 * indexes, by one prepared statement for each table, in one transaction without a journal. It is the floor of a restore.
 */
const [from = '', to = ''] = process.argv.slice(2);
const PAGE = 4096;
const source = new Database(from, { readonly: true });
const target = new Database(to);
for (const pragma of ['journal_mode = off', 'synchronous = off', 'locking_mode = exclusive'])
  target.pragma(pragma);
const made = source
  .prepare(`select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'`)
  .all() as { type: string; name: string; sql: string }[];
// As in a restore the indexes are there before the rows.
for (const { sql } of made.toSorted((a, b) => Number(a.type !== 'table') - Number(b.type !== 'table')))
  target.exec(sql);
target.exec('begin');
for (const { name } of made.filter(({ type }) => type === 'table')) {
  const rows = source.prepare(`select * from "${name}"`);
  const columns = rows.columns().length;
  const insert = target.prepare(`insert into "${name}" values (${Array(columns).fill('?').join(', ')})`);
  let page: unknown[][] = [];
  const flush = (): void => {
    for (const row of page) insert.run(row);
    page = [];
  };
  for (const row of rows.raw().iterate() as IterableIterator<unknown[]>) if (page.push(row) === PAGE) flush();
  flush();
}
target.exec('commit');
target.close();
const file = openSync(to, 'r');
fsyncSync(file);
closeSync(file);
