import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runText } from '../../src/store/sql/dialect.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { forEachEngine } from './engines.ts';

const ROOT = join(import.meta.dirname, '../../src/store');
const TYPES: Readonly<Record<string, string>> = { string: 'text', number: 'integer', Buffer: 'blob' };

/** The columns that the program is typed for: `table.column` → `text`, or `text?` where null may stand. */
function declared(): Map<string, string> {
  const files = readdirSync(join(ROOT, 'tables')).map((name) => `tables/${name}`);
  const columns = new Map<string, string>();
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '');
    for (const [, table = '', body = ''] of text.matchAll(/^ {2}(\w+): \{(.*?)\};$/gms)) {
      for (const [, column = '', type = ''] of body.matchAll(/(\w+): ([^;}]+?)\s*(?:;|$)/g)) {
        const bare = type.replace(/^Generated<(.*)>$/, '$1');
        const [kind = ''] = bare.split(' | ');
        columns.set(`${table}.${column}`, `${TYPES[kind] ?? kind}${bare.endsWith('| null') ? '?' : ''}`);
      }
    }
  }
  return columns;
}

const SQLITE = `
  select m.name || '.' || p.name as "column", lower(p.type) as type, 1 - max(p."notnull", p.pk > 0) as nullable
  from sqlite_master m join pragma_table_info(m.name) p where m.type = 'table' and m.name not like 'sqlite%'`;
const POSTGRES = `
  select table_name || '.' || column_name as "column",
    case data_type when 'bigint' then 'integer' when 'bytea' then 'blob' else data_type end as type,
    case is_nullable when 'YES' then 1 else 0 end as nullable
  from information_schema.columns where table_schema = 'public'`;

const sorted = (columns: ReadonlyMap<string, string>): string[] =>
  [...columns].map((entry) => entry.join(' ')).toSorted();

forEachEngine('the schema', (engine) => {
  test('what the migrations make is what the program is typed for, column by column', async (t) => {
    const store = await engine.open(t);
    const found = await runText<{ column: string; type: string; nullable: number }>(
      store.read,
      engine.name === 'sqlite' ? SQLITE : POSTGRES,
      [],
    );
    const made = new Map(
      found.map(({ column, type, nullable }) => [column, `${type}${nullable ? '?' : ''}`]),
    );
    assert.ok(made.size > 250);
    assert.deepEqual(sorted(made), sorted(declared()));
  });
});

test('migrations are numbered from 1 without a gap, and go from release to release', () => {
  const releases = [
    '0.1.0',
    '0.2.0',
    '0.3.0',
    '0.3.4',
    '0.3.6',
    '1.0.0',
    '1.0.2',
    '1.1.0',
    '1.2.0',
    '1.3.0',
    '1.3.1',
    '1.3.7',
  ];
  let at = 0;
  MIGRATIONS.forEach(({ name, release, summary }, i) => {
    assert.match(name, new RegExp(`^${String(i + 1).padStart(4, '0')}-[a-z]+(-[a-z]+)*$`));
    assert.ok(summary.length > 10 && summary.length <= 66, name);
    const next = releases.indexOf(release);
    assert.ok(next >= at, `${name} of ${release}`);
    at = next;
  });
  const of = (wanted: string): number[] =>
    MIGRATIONS.flatMap(({ release }, i) => (release === wanted ? [i + 1] : []));
  assert.deepEqual(of('0.2.0'), [7]);
  assert.deepEqual(of('1.1.0'), [13, 14, 15, 16, 17, 18, 19, 20]);
  assert.deepEqual(of('1.2.0'), [21, 22, 23, 24]);
  assert.deepEqual(of('1.3.0'), [25]);
  assert.deepEqual(of('1.3.1'), [26, 27, 28, 29, 30, 31, 32]);
  assert.deepEqual(of('1.3.7'), [33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45]);
});
