import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Appender, type Appended } from '../../src/ledger/index.ts';
import { DEADLINE, openAppender } from './append-parts.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { MemorySpool } from './memory-spool.ts';
import { handTimers, listen, newRow, numbers, review, tally, uidOf, until } from './parts.ts';

const ids = (appended: readonly Appended[]): unknown[] => appended.flatMap(({ rows }) => numbers(rows));

test('what arrives in one turn is one transaction, of a bounded number of rows', async () => {
  const { appender, ledger } = openAppender({ groupRows: 10 });
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, i) => appender.append(review(i, i === 3 ? 12 : 1))),
  );
  assert.deepEqual(ledger.calls, [3, 1, 10, 10, 1]);
  assert.deepEqual(
    ids(answers),
    Array.from({ length: 36 }, (_, i) => i + 1),
  );
});

test('what arrives while a group is written is the next group', async () => {
  const { appender, ledger } = openAppender();
  ledger.mode = 'hanging';
  const first = appender.append(review(1));
  await until(() => appender.waiting.queued === 0, 'the first group is under way');
  const others = [appender.append(review(2)), appender.append(review(3))];
  ledger.mode = 'up';
  ledger.release();
  assert.deepEqual(ids(await Promise.all([first, ...others])), [1, 2, 3]);
  assert.deepEqual(ledger.calls, [1, 2]);
});

test('the same review at once, and again later, has one set of rows and one answer', async () => {
  const { appender, ledger, count } = openAppender();
  const [first, second] = await Promise.all([appender.append(review(1, 2)), appender.append(review(1, 2))]);
  const third = await appender.append(review(1, 1, { allowed: false }));
  assert.deepEqual([first?.repeat, second?.repeat, third.repeat], [false, true, true]);
  for (const { rows } of [second, third]) assert.deepEqual(rows, first?.rows);
  assert.equal(ledger.rows.length, 2);
  assert.deepEqual(count.totals, { svc_ledger_rows_total: 2 });
});

test('when the database fails the spool takes over, and puts everything back in order', async () => {
  const { appender, ledger, spool, timers, log, count } = openAppender();
  await appender.append(review(1));
  ledger.mode = 'down';
  const answer = await appender.append(review(2, 2));
  assert.deepEqual([answer.delayed, answer.repeat, numbers(answer.rows)], [true, false, [null, null]]);
  assert.equal(appender.delayed, true);
  await until(() => timers.waits.length > 0, 'it waits to try again');
  ledger.mode = 'up';
  // The database is back, but what comes now must not overtake what waits.
  assert.equal((await appender.append(review(3))).delayed, true);
  assert.equal(spool.rows, 3);
  timers.fire();
  await until(() => !appender.delayed, 'the spool is empty');
  assert.deepEqual(ids([await appender.append(review(4))]), [5]);
  assert.deepEqual(ledger.uids(), [1, 2, 2, 3, 4].map(uidOf));
  assert.equal(spool.rows, 0);
  assert.deepEqual(count.totals, {
    svc_ledger_rows_total: 2,
    svc_ledger_spooled_rows_total: 3,
    svc_ledger_put_back_rows_total: 3,
  });
  assert.ok(log.lines.some((line) => line.startsWith('warn') && line.includes('spool takes over')));
  assert.ok(log.lines.includes('info the spool of the ledger is empty again'));
});

for (const outcome of ['commits', 'fails'] as const) {
  test(`when the database misses the deadline and then ${outcome}, each review is there once`, async () => {
    const { appender, ledger, timers } = openAppender({ deadline: DEADLINE });
    ledger.mode = 'hanging';
    const answers = [appender.append(review(1)), appender.append(review(2))];
    await until(() => timers.waits.includes(DEADLINE), 'the deadline runs');
    timers.fire(DEADLINE);
    assert.deepEqual(
      (await Promise.all(answers)).map(({ delayed }) => delayed),
      [true, true],
    );
    const third = await appender.append(review(3));
    assert.equal(third.delayed, true);
    assert.equal(ledger.rows.length, 0, 'nothing is put back while the late write may still end');
    ledger.mode = outcome === 'commits' ? 'up' : 'down';
    ledger.release();
    await until(() => outcome === 'commits' || timers.waits.length > 0, 'the late write has ended');
    ledger.mode = 'up';
    timers.fire();
    await until(() => !appender.delayed, 'the spool is empty');
    assert.deepEqual(ledger.uids(), [1, 2, 3].map(uidOf));
  });
}

test('a review that waits in the spool is answered with what waits', async () => {
  const { appender, ledger, spool } = openAppender();
  ledger.mode = 'down';
  const first = await appender.append(review(1, 2));
  const [second, third] = await Promise.all([
    appender.append(review(1, 1, { allowed: false })),
    appender.append(review(2)),
  ]);
  assert.deepEqual(second, { ...first, repeat: true });
  assert.equal(third?.repeat, false);
  assert.equal(spool.waiting.length, 2);
});

test('what no review asked for cannot wait in the spool, and is told the outcome of a late write', async () => {
  const { appender, ledger, timers, spool } = openAppender({ deadline: DEADLINE });
  const made = { uid: null, rows: [newRow({ kind: 'reconcile' })] };
  ledger.mode = 'hanging';
  const late = appender.append(made);
  await until(() => timers.waits.includes(DEADLINE), 'the deadline runs');
  timers.fire(DEADLINE);
  await assert.rejects(appender.append(made), { code: 'unavailable' });
  ledger.mode = 'up';
  ledger.release();
  assert.deepEqual(ids([await late]), [1]);
  await until(() => !appender.delayed, 'the spool is empty');
  assert.equal(spool.waiting.length, 0);
});

test('a full spool refuses, and counts it', async () => {
  const { appender, ledger, spool, count, log } = openAppender();
  spool.maxRows = 3;
  ledger.mode = 'down';
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => appender.append(review(n))));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  assert.deepEqual(
    outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : [])),
    ['unavailable', 'unavailable'],
  );
  assert.equal(count.totals['svc_ledger_unrecorded_total spool_full'], 2);
  assert.ok(log.lines.some((line) => line.startsWith('error')));
});

test('when neither database nor spool takes a review it is refused, and counted', async () => {
  const { appender, ledger, spool, count } = openAppender();
  ledger.mode = 'down';
  spool.broken = true;
  await assert.rejects(appender.append(review(1)), { code: 'unavailable', retryAfter: 5 });
  assert.equal(count.totals['svc_ledger_unrecorded_total spool_fault'], 1);
  const bare = openAppender({ spool: null });
  bare.ledger.mode = 'down';
  await assert.rejects(bare.appender.append(review(1)), { code: 'unavailable' });
  assert.equal(bare.count.totals['svc_ledger_unrecorded_total store'], 1);
});

test('more than may wait is refused at once, and counted', async () => {
  const { appender, ledger, count } = openAppender({ waitingRows: 4 });
  ledger.mode = 'hanging';
  const under = appender.append(review(0));
  await until(() => appender.waiting.queued === 0, 'the first group is under way');
  const waiting = [1, 2].map((n) => appender.append(review(n, 2)));
  await assert.rejects(appender.append(review(3)), { code: 'unavailable', retryAfter: 1 });
  assert.equal(count.totals['svc_ledger_unrecorded_total queue_full'], 1);
  ledger.mode = 'up';
  ledger.release();
  assert.equal((await Promise.all([under, ...waiting])).length, 3);
});

test('only a review that can never be stored is refused', async () => {
  const { appender, ledger } = openAppender();
  ledger.poison = uidOf(2);
  const outcomes = await Promise.allSettled([1, 2, 3].map((n) => appender.append(review(n))));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(ledger.uids(), [uidOf(1), uidOf(3)]);
});

test('a review in the spool that can never be stored is set aside, and the others go on', async () => {
  const { appender, ledger, spool, timers, count } = openAppender();
  ledger.mode = 'down';
  await Promise.all([1, 2, 3].map((n) => appender.append(review(n))));
  ledger.poison = uidOf(2);
  ledger.mode = 'up';
  await until(() => timers.fire() || timers.waits.length > 0, 'it tries again');
  await until(() => !appender.delayed, 'the spool is empty');
  assert.deepEqual(ledger.uids(), [uidOf(1), uidOf(3)]);
  assert.deepEqual(spool.aside, [{ uid: uidOf(2), reason: 'never' }]);
  assert.equal(count.totals['svc_ledger_set_aside_total'], 1);
});

test('what a crash left in the spool is put back before anything new', async () => {
  const [ledger, spool, timers] = [new MemoryLedger(), new MemorySpool(), handTimers()];
  ledger.rows.push(...(await new MemoryLedger().appendAll([review(1, 2)])).flatMap(({ rows }) => rows));
  spool.waiting.push(review(1, 2), review(2)); // the first was committed just before the crash
  const appender = new Appender({ writer: ledger, spool, timers, log: listen(), count: tally() });
  await appender.append(review(3));
  await until(() => !appender.delayed, 'the spool is empty');
  assert.deepEqual(ledger.uids(), [1, 1, 2, 3].map(uidOf));
});

test('what an export could not hold is refused before it is written', async () => {
  const { appender, ledger } = openAppender();
  for (const [entry, code] of [
    [{ uid: uidOf(1), rows: [] }, 'invalid_request'],
    [{ uid: 'x'.repeat(513), rows: [newRow()] }, 'too_large'],
    [{ uid: uidOf(1), rows: [newRow({ image: 'x'.repeat(300_000) })] }, 'too_large'],
    [{ uid: uidOf(1), rows: [newRow({ reason: '\u0001'.repeat(44_000) })] }, 'too_large'],
    [{ uid: uidOf(1), rows: [newRow({ digest: 'sha512:x' })] }, 'invalid_request'],
    [{ uid: uidOf(1), rows: [newRow({ at: NaN })] }, 'invalid_request'],
    [{ uid: uidOf(1), rows: Array.from({ length: 1025 }, () => newRow()) }, 'too_large'],
  ] as const) {
    await assert.rejects(appender.append(entry), { code });
  }
  assert.equal(ledger.rows.length, 0);
  await appender.append({
    uid: uidOf(1),
    rows: [newRow({ reason: 'x'.repeat(200_000), signals: Array.from({ length: 200 }, () => 'root') })],
  });
});

test('closing writes what waits, and leaves in the spool what the database does not take', async () => {
  const { appender, ledger, spool } = openAppender();
  const answers = [1, 2].map((n) => appender.append(review(n)));
  await appender.close();
  assert.deepEqual(ids(await Promise.all(answers)), [1, 2]);
  await assert.rejects(appender.append(review(3)), { code: 'unavailable' });
  const other = openAppender();
  other.ledger.mode = 'down';
  await other.appender.append(review(1));
  await other.appender.close();
  assert.deepEqual([ledger.rows.length, spool.rows, other.spool.rows], [2, 0, 1]);
});
