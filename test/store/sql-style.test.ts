import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

const STORE = join(import.meta.dirname, '../../src/store');

/**
 * What is no part of the rule: what statements are run by (the connection to PostgreSQL as well), and migrations, which know the tables of
 * their time alone.
 */
const APART = /^(?:(?:sql|migrations|tables)\/|engine\/postgres\.ts)/;

/**
 * The append to the ledger keeps texts: on SQLite it runs in one turn of the event loop on the bare connection, PostgreSQL is asked with the
 * same texts, and every admission waits for it.
 */
const IN_ONE_TURN = ['cells/intern.ts', 'ledger/append-memory.ts', 'ledger/append.ts'];

/** Files that still run statements given as text. None may be added; one that does so no more is taken off. */
const AS_TEXT = new Set<string>(IN_ONE_TURN);

const files = readdirSync(STORE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(STORE, join(entry.parentPath, entry.name)))
  .filter((path) => !APART.test(path))
  .map((path) => ({ path, text: readFileSync(join(STORE, path), 'utf8') }));

/** The columns of each table, as `tables/` declares them, and those that may be null: a condition may say that they are not. */
const columns = new Map<string, Set<string>>();
const nullable = new Set<string>();
for (const name of readdirSync(join(STORE, 'tables'))) {
  const text = readFileSync(join(STORE, 'tables', name), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
  for (const [, table = '', body = ''] of text.matchAll(/^ {2}(\w+): \{([^}]*)\}/gm))
    for (const [, column = '', type = ''] of body.matchAll(/(\w+): ([^;]*)/g)) {
      columns.set(table, (columns.get(table) ?? new Set()).add(column));
      if (type.includes('null')) nullable.add(column);
    }
}

test('statements are written with the builder or the template, never as text with a cast', () => {
  for (const { path, text } of files) {
    const asText =
      /\brunText\b|\bCompiledQuery\b|\breadCells\b[^;]*from '[./]*sql\/dialect\.ts'|\bsql\.raw\(/.test(text);
    assert.equal(
      asText,
      AS_TEXT.has(path),
      `src/store/${path}: ${asText ? 'runs statements given as text' : 'is to be taken off the list'}`,
    );
  }
});

test('the row of a statement names its columns by the table that has them', () => {
  assert.ok(columns.get('findings')?.has('severity'));
  let seen = 0;
  const faults: string[] = [];
  for (const { path, text } of files) {
    for (const [, row = '', statement = ''] of text.matchAll(/\bsql<([^`]*)>`([^`]*)`/g)) {
      seen += 1;
      for (const [, table = '', names = ''] of row.matchAll(/Row<\s*'(\w+)',([^>]*)>/g))
        for (const [, column = ''] of names.matchAll(/'(\w+)'/g))
          assert.ok(
            statement.includes('*') ||
              statement.includes('${') ||
              new RegExp(`\\b${column}\\b`).test(statement),
            `src/store/${path}: a statement does not read ${table}.${column}, which its row has`,
          );
      const [, made = ''] = /\{([^}]*)\}/.exec(row) ?? [];
      for (const [, name = ''] of made.matchAll(/(?:^|;)\s*(?:readonly )?(\w+):/g)) {
        const made = new RegExp(`\\bas "?${name}\\b`).test(statement);
        const tables = [...statement.matchAll(/\b(?:from|join|into|update) (\w+)/g)].map(
          ([, table = '']) => table,
        );
        const owner = tables.find((table) => columns.get(table)?.has(name));
        if (!made && !nullable.has(name) && owner !== undefined)
          faults.push(`src/store/${path}: ${name} is a column of ${owner}: Row<'${owner}', '${name}'>`);
      }
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(seen > 100, String(seen));
});
