import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { ACCESS } from '../../src/accounts/index.ts';
import { counted, TORTURE } from '../runs.ts';
import { COST_CASES } from './route-cost-cases.ts';
import { measureRoutes } from './route-costs.ts';
import { scratchDirectory } from './running.ts';

/** What one turn of the event loop may do: rows that it reads or writes, and characters of JSON. */
const MOST = { rows: 3_000, json: 4 * 1_048_576 };
/**
 * Milliseconds on a processor that one turn may take with 1,000,000 rows and 10,000 images. It is 20 on a quiet machine, which the
 * benchmark prints; beside other work the same turn takes up to three times as long.
 */
const BUSY = 60;

/** Tables whose rows people make one by one, that one catalogue fills, or that gather what happens by channel, event and subject up to a limit. */
const BOUNDED = new Set([
  ...['accounts', 'tokens', 'one_time_codes', 'policies', 'policy_revisions', 'channels', 'whatif_runs'],
  ...['channel_credentials', 'runtime_rules', 'runtime_policies', 'nodes', 'node_platforms', 'replicas'],
  ...[
    'os_releases',
    'kev_entries',
    'catalogue_states',
    'checkpoint_anchors',
    'tracking_continuations',
    'outbox',
    'channel_mutes',
    'backups',
    'declarations',
    'evidence_keys',
    'evidence_packages',
  ],
]);

/** Indexes of the rows that wait for something to be done, which is done to all of them. */
const WAITING = new Set(['tracking_open', 'tracking_unfiled', 'deliveries_waiting', 'scans_uncounted']);

/** Scans of tables that grow, and why they may be. */
const ALLOWED: readonly (readonly [statement: RegExp, why: string])[] = [
  [/^select (?:size, root, note, )?at from checkpoints order by size desc limit 1$/, 'its end alone is read'],
  [/^update "(tracking|scan_queue)" set "(confirmed|requested)_by"/, 'a person is anonymised once'],
  [/^select .*count\(distinct digest\) as count from scan_failures/, 'as many rows as images fail'],
  [
    /^select .* from \(select .* from runtime_events order by id desc limit \?\) newest/,
    'its end alone is read',
  ],
];

test('a call of the API holds the event loop up for a moment, however much the service holds', async (t) => {
  assert.deepEqual(Object.keys(COST_CASES).toSorted(), Object.keys(ACCESS).toSorted());
  const { costs, database } = await measureRoutes(scratchDirectory(t), TORTURE ? 'full' : 'small');
  for (const { key, what, rows, json, busy } of costs) {
    const of = `${key}, ${what}`;
    assert.ok(rows <= MOST.rows, `${of}: ${rows} rows in one turn`);
    assert.ok(json <= MOST.json, `${of}: ${json} characters of JSON in one turn`);
    if (TORTURE) assert.ok(busy <= BUSY, `${of}: a turn of ${busy} ms`);
  }
  const db = new Database(database, { readonly: true });
  t.after(() => db.close());
  const scans = costs.flatMap(({ key, statements }) =>
    statements.flatMap((statement) =>
      scansOf(db, statement).map((table) => `${key} scans ${table}: ${statement}`),
    ),
  );
  assert.deepEqual([...new Set(scans)], []);
  counted(t, { calls: costs.length });
});

/** The tables that grow of which a statement reads every row, or every entry of an index. */
function scansOf(db: Database.Database, text: string): string[] {
  const statement = text.replaceAll(/\s+/g, ' ').trim();
  if (!/^(select|insert|update|delete|with)/i.test(statement)) return [];
  if (ALLOWED.some(([allowed]) => allowed.test(statement))) return [];
  const plan = db.prepare(`explain query plan ${statement}`);
  const unbound = (statement.match(/\?/g) ?? []).map(() => null);
  return (plan.all(unbound) as { readonly detail: string }[]).flatMap(({ detail }) => {
    const [, name, index] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
    const table = name === undefined ? null : tableOf(db, name, statement);
    return table === null || BOUNDED.has(table) || WAITING.has(index ?? '') ? [] : [table];
  });
}

/** The table of a name or an alias; null for a subquery, whose own steps stand in the plan. */
function tableOf(db: Database.Database, name: string, statement: string): string | null {
  const isTable = db.prepare(`select 1 from sqlite_master where type = 'table' and name = ?`).get(name);
  if (isTable !== undefined) return name;
  return new RegExp(`(?:from|join|update) "?(\\w+)"? (?:as )?"?${name}"?\\b`).exec(statement)?.[1] ?? null;
}
