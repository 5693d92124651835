import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { lockMigrations } from '../../src/store/sql/dialect-lock.ts';
import { forEachEngine } from './engines.ts';
import { levelOf, migrateTo, openRaw, RELEASES } from './releases.ts';

const FIRST = levelOf(RELEASES[0] ?? '');
/** What a release before schemas had a lock of their own took. */
const OF_EARLIER = 7_103_500_351;

forEachEngine('the lock of migrations', (engine) => {
  test('keeps nobody from other tables, though they stand in the same database', async (t) => {
    const [one, other] = [await openRaw(await engine.empty()), await openRaw(await engine.empty())];
    t.after(() => Promise.all([one.destroy(), other.destroy()]));
    await one.transaction().execute(async (transaction) => {
      await lockMigrations(transaction, 1000);
      await migrateTo(other, FIRST);
    });
  });

  if (engine.name === 'sqlite') return;

  test('keeps others from the same tables, those of an earlier release as well', async (t) => {
    const url = await engine.empty();
    const [one, other] = [await openRaw(url), await openRaw(url)];
    t.after(() => Promise.all([one.destroy(), other.destroy()]));
    const locked = () => other.transaction().execute((transaction) => lockMigrations(transaction, 50));
    const ofEarlier = () =>
      other.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout = 50`.execute(transaction);
        await sql`select pg_advisory_xact_lock(${OF_EARLIER})`.execute(transaction);
      });
    await one.transaction().execute(async (transaction) => {
      await lockMigrations(transaction, 1000);
      await assert.rejects(locked(), { code: 'unavailable' });
      await assert.rejects(ofEarlier(), { code: 'unavailable' });
    });
    await ofEarlier();
    await one.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${OF_EARLIER})`.execute(transaction);
      await assert.rejects(locked(), { code: 'unavailable' });
    });
  });
});
