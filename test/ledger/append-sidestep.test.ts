import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEADLINE, openAppender } from './append-parts.ts';
import { newRow, numbers, review, until } from './parts.ts';

const SIDESTEPS = { sidesteps: true, deadline: DEADLINE } as const;
const ids = (all: readonly { readonly rows: readonly { readonly id: number | null }[] }[]) =>
  all.flatMap(({ rows }) => numbers(rows));

test('a review is answered once the spool has it while another process writes, and nobody is told of a delay', async () => {
  const { appender, ledger, spool, count, log } = openAppender(SIDESTEPS);
  ledger.mode = 'hanging';
  const answers = await Promise.all([appender.append(review(1)), appender.append(review(2, 2))]);
  assert.deepEqual(ids(answers), [null, null, null]);
  assert.deepEqual(
    answers.map(({ delayed, repeat }) => [delayed, repeat]),
    [
      [false, false],
      [false, false],
    ],
  );
  assert.equal(appender.delayed, false);
  const mark = appender.mark();
  assert.equal(appender.past(mark), false, 'a sweep waits for what is in the spool');
  ledger.mode = 'up';
  ledger.release();
  await until(() => appender.past(mark), 'the rows are put back');
  assert.deepEqual(numbers(ledger.rows), [1, 2, 3]);
  assert.equal(spool.rows, 0);
  assert.deepEqual(log.lines, []);
  assert.deepEqual(count.totals, { svc_ledger_spooled_rows_total: 3, svc_ledger_put_back_rows_total: 3 });
});

test('a repeat is answered with what waits or is stored, never with another decision', async () => {
  const { appender, ledger } = openAppender(SIDESTEPS);
  ledger.mode = 'hanging';
  const first = await appender.append(review(1));
  const again = await appender.append(review(1, 1, { allowed: false }));
  assert.deepEqual(again, { ...first, repeat: true });
  ledger.mode = 'up';
  ledger.release();
  await until(() => ledger.rows.length === 1, 'the row is put back');
  const stored = await appender.append(review(1, 1, { allowed: false }));
  assert.deepEqual([stored.repeat, stored.rows[0]?.allowed, stored.rows[0]?.id], [true, true, 1]);
  assert.equal(ledger.rows.length, 1);
});

test('what may be in the ledger already, and what no review asked for, wait for the database behind what was spooled', async () => {
  const { appender, ledger, spool } = openAppender(SIDESTEPS);
  ledger.mode = 'hanging';
  await appender.append(review(1));
  const made = appender.append({ uid: null, rows: [newRow({ kind: 'reconcile' })] });
  const after = appender.append(review(2));
  await until(() => spool.rows === 1, 'only the first is spooled');
  ledger.mode = 'up';
  ledger.release();
  assert.deepEqual(ids([await made]), [2]);
  await after;
  await until(() => ledger.rows.length === 3 && spool.rows === 0, 'all are put back');
});

test('only so many wait in the spool while others write', async () => {
  const { appender, ledger, spool } = openAppender({ ...SIDESTEPS, groupRows: 64 });
  ledger.mode = 'hanging';
  const all = Array.from({ length: 10 }, (_, n) => appender.append(review(n + 1, 64)));
  await until(() => spool.rows > 256, 'it takes some');
  for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
  assert.equal(spool.rows, 320);
  ledger.mode = 'up';
  ledger.release();
  await Promise.all(all);
  await until(() => ledger.rows.length === 640 && spool.rows === 0, 'all are put back');
});

test('a database that takes longer than the deadline is late: from then on answers say so', async () => {
  const { appender, ledger, spool, timers, log } = openAppender(SIDESTEPS);
  ledger.mode = 'hanging';
  assert.equal((await appender.append(review(1))).delayed, false);
  await until(() => timers.waits.includes(DEADLINE), 'the deadline runs');
  timers.fire(DEADLINE);
  assert.equal(appender.delayed, true);
  assert.equal((await appender.append(review(2))).delayed, true);
  assert.deepEqual(log.lines, ['warn the database did not commit ledger rows in time; the spool takes over']);
  ledger.mode = 'up';
  ledger.release();
  await until(() => !appender.delayed && spool.rows === 0, 'all are put back');
  assert.deepEqual(numbers(ledger.rows), [1, 2]);
});

test('the end waits for what was spooled while others wrote', async () => {
  const { appender, ledger, spool } = openAppender(SIDESTEPS);
  ledger.mode = 'hanging';
  await appender.append(review(1));
  const closed = appender.close();
  ledger.mode = 'up';
  ledger.release();
  await closed;
  assert.deepEqual([ledger.rows.length, spool.rows], [1, 0]);
});
