import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Appender, ClockWatch, leafText, type Recorded } from '../../src/ledger/index.ts';
import { canonicalJson } from '../../src/base/index.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { MemorySpool } from './memory-spool.ts';
import { AT, handTimers, listen, newRow, review, tally, until } from './parts.ts';

const HOUR = 3_600_000;

/** An appender whose clock a test sets, over what was recorded before it began. */
async function open(recorded: Recorded | null = null, spooled: readonly number[] = []) {
  const times = { recorded, accepted: 0 };
  const clock = { at: AT, now: () => clock.at };
  const [ledger, spool, timers, log, count] = [
    new MemoryLedger(),
    new MemorySpool(),
    handTimers(),
    listen(),
    tally(),
  ];
  const watch = new ClockWatch({
    times: { newest: async () => times.recorded, acceptedSize: async () => times.accepted },
    ...{ clock, log, count },
  });
  await watch.look();
  await spool.append(spooled.map((at, n) => review(1000 + n, 1, { at })));
  const appender = new Appender({ writer: ledger, spool, timers, log, count, watch });
  let next = 0;
  /** Appends a review of this moment, or of another time; gives whether its row is marked. */
  const take = async (at = clock.at): Promise<boolean> => {
    next += 1;
    const { rows } = await appender.append(review(next, 1, { at }));
    return rows[0]?.clock_suspect === true;
  };
  const said = (): number => log.lines.filter((line) => line.includes('clock')).length;
  return { times, clock, ledger, spool, timers, log, count, watch, appender, take, said };
}

test('a clock that was set back while the process was down is noticed by the newest checkpoint', async () => {
  const { clock, take, count, log, watch } = await open({ at: AT + HOUR, by: 'checkpoint' });
  assert.equal(await take(), true);
  assert.deepEqual(watch.standing(), { behind: HOUR, recorded: { at: AT + HOUR, by: 'checkpoint' } });
  clock.at += HOUR - 2001;
  assert.equal(await take(), true);
  clock.at += 1;
  assert.equal(await take(), false, 'two seconds are no fault');
  assert.equal(count.totals['svc_ledger_clock_suspect_rows_total'], 2);
  assert.equal(log.lines.filter((line) => line.startsWith('warn the clock is behind')).length, 1);
});

test('a clock that was set back while newer rows wait in the spool is noticed by them, also once the clock was accepted', async () => {
  const { times, clock, take, watch } = await open({ at: AT - HOUR, by: 'row' }, [AT + HOUR, AT + 60_000]);
  assert.equal(await take(), true);
  assert.deepEqual(watch.standing(), { behind: HOUR, recorded: { at: AT + HOUR, by: 'row' } });
  clock.at += HOUR;
  assert.equal(await take(), false);
  // What the database says of an earlier start is no news.
  clock.at -= HOUR;
  await watch.look();
  assert.equal(await take(), true);
  times.accepted = 7;
  await watch.look();
  assert.equal(await take(), false);
});

test('a clock that is set back under way marks every row until it has passed what was recorded', async () => {
  const { clock, take, said, watch, log } = await open();
  assert.equal(await take(), false);
  clock.at -= 2000;
  assert.equal(await take(), false);
  clock.at -= HOUR;
  assert.deepEqual([await take(), await take(), await take()], [true, true, true]);
  assert.equal(said(), 1, 'once for each change');
  clock.at = AT + 1;
  assert.equal(await take(), false);
  for (let look = 0; look < 4; look += 1) await watch.look();
  assert.equal(said(), 1);
  await watch.look();
  assert.equal(
    log.lines.at(-1),
    'info the clock has passed what the ledger has recorded; rows are no longer marked',
  );
  clock.at -= 10_000;
  assert.equal(await take(), true);
  assert.equal(said(), 3);
});

test('a row that took its time behind a right clock is not marked', async () => {
  const { clock, take } = await open();
  clock.at += 60_000;
  await take();
  assert.equal(await take(AT), false, 'a sweep that began a minute ago');
});

test('rows of another replica within 2 seconds are normal, beyond that this clock is behind', async () => {
  const { times, clock, take, watch } = await open();
  times.recorded = { at: AT + 2000, by: 'row' };
  await watch.look();
  assert.equal(await take(), false);
  times.recorded = { at: AT + 2001, by: 'row' };
  await watch.look();
  assert.equal(await take(), true);
  clock.at += 1;
  assert.equal(await take(), false);
});

test('a clock that was ahead and is right again stays marked until an operator accepts it', async () => {
  const { times, clock, take, watch } = await open();
  clock.at += 365 * 24 * HOUR;
  assert.equal(await take(), false, 'nothing shows that a clock is ahead');
  times.recorded = { at: clock.at, by: 'checkpoint' };
  clock.at = AT + 60_000;
  await watch.look();
  assert.equal(await take(), true);
  times.accepted = 1;
  times.recorded = { at: AT + 60_000, by: 'row' };
  await watch.look();
  assert.deepEqual([await take(), watch.standing().behind], [false, 0]);
});

test('a mark is made when a review is taken on: the spool keeps it, and gives none to what waited', async () => {
  const { ledger, clock, take, timers, appender } = await open();
  ledger.mode = 'down';
  await take();
  clock.at -= HOUR;
  await take();
  clock.at += 2 * HOUR;
  await take();
  ledger.mode = 'up';
  await until(() => (timers.fire(), !appender.delayed), 'the spool is empty');
  assert.deepEqual(
    ledger.rows.map((row) => row.clock_suspect),
    [undefined, true, undefined],
  );
});

test('a leaf has the mark where the row has it, and is what it was before where it has none', () => {
  const row = { ...newRow(), id: 7, time: '2026-11-20T06:00:00Z', review_uid: null };
  const { at: _, ...plain } = row;
  const before = leafText(plain);
  assert.ok(!before.includes('clock_suspect'));
  assert.equal(leafText({ ...plain, clock_suspect: false }), before);
  assert.equal(leafText({ ...plain, clock_suspect: null }), before);
  const marked = JSON.parse(leafText({ ...plain, clock_suspect: true })) as object;
  assert.equal(leafText({ ...plain, clock_suspect: true }), canonicalJson(marked));
  assert.deepEqual(marked, { ...(JSON.parse(before) as object), clock_suspect: true });
});
