import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runText } from '../../src/store/sql/dialect.ts';
import { MIGRATIONS, type Migration } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { planMigrations } from '../../src/store/engine/plan.ts';
import { addColumns, createIndex } from '../../src/store/sql/schema.ts';
import { forEachEngine } from './engines.ts';
import { makeRelease, openRaw } from './releases.ts';

const CHANGES: readonly (readonly [string, string, RegExp])[] = [
  ['a column that is missing', 'alter table images drop column source', /column source of images is missing/],
  [
    'a column too many',
    'alter table scans add column platform text',
    /column platform of scans is too many$/,
  ],
  [
    'a column of another kind',
    'alter table scan_queue rename to other; create table scan_queue (digest text primary key)',
    /column digest of scan_queue|column requested_at of scan_queue is missing/,
  ],
  ['a table that is missing', 'drop table image_search', /of image_search is missing, and \d+ more$/],
  ['an index that is missing', 'drop index findings_by_cve_scan_id', /index findings_by_cve_scan_id of/],
];

const LAST = MIGRATIONS.at(-1)?.name ?? '';

forEachEngine('a database of another shape', (engine) => {
  for (const [name, change, message] of CHANGES)
    test(`${name}: refused in one sentence by all that open it, and not changed`, async () => {
      const url = await engine.migrated();
      const db = await openRaw(url);
      for (const statement of change.split('; ')) await runText(db, statement, []);
      await db.destroy();
      for (const options of [{}, { migrate: false }, { readOnly: true }])
        await assert.rejects(
          openStore({ url, ...options }),
          (error: Error & { code: string; hint: string }) => {
            assert.equal(error.code, 'migration');
            assert.match(error.message, message);
            assert.ok(
              error.message.includes(`does not have the schema that ${LAST} leaves: `),
              error.message,
            );
            assert.match(error.hint, /Use an empty database, restore a backup/);
            return true;
          },
        );
      await assert.rejects(planMigrations(url), { code: 'migration', message });
    });

  test('one that another process has checked is taken at its word, as far as its history goes', async (t) => {
    const url = await engine.migrated();
    const db = await openRaw(url);
    await runText(db, 'drop index findings_by_cve_scan_id', []);
    const store = await openStore({ url, checked: true });
    t.after(() => store.close());
    await runText(db, `delete from migrations where name = '${LAST}'`, []);
    await db.destroy();
    await assert.rejects(openStore({ url, checked: true }), { code: 'migration' });
  });

  test('a step that was changed after it was applied is noticed without a line written by hand', async () => {
    const url = await engine.migrated();
    const edited = MIGRATIONS.map((step): Migration =>
      step.name.startsWith('0004-')
        ? {
            ...step,
            up: async (db) => {
              await step.up(db);
              await addColumns(db, 'scans', { platform: 'text' });
              await createIndex(db, 'scans', ['platform']);
            },
          }
        : step,
    );
    await assert.rejects(openStore({ url, migrations: edited }), {
      message: /column platform of scans is missing, and 1 more$/,
    });
  });

  test('a database of an earlier release upgrades, and one whose steps were changed does not', async () => {
    const url = await engine.empty();
    await makeRelease(url, '1.0.2');
    const db = await openRaw(url);
    await runText(db, 'alter table images add column tomorrow text', []);
    await db.destroy();
    await assert.rejects(openStore({ url }), {
      message: /that 0012-\S+ leaves: column tomorrow of images is too many$/,
    });
    const again = await openRaw(url);
    await runText(again, 'alter table images drop column tomorrow', []);
    await again.destroy();
    await (await openStore({ url })).close();
  });

  test('what others put beside our tables is theirs: a table, an index for their own questions', async () => {
    const url = await engine.migrated();
    const db = await openRaw(url);
    await runText(db, 'create table notes_of_somebody (id integer)', []);
    await runText(db, 'create index by_recorded on scans (recorded_at)', []);
    await db.destroy();
    await (await openStore({ url })).close();
  });
});
