import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../src/base/index.ts';
import { Appender, type LedgerEntry, type LedgerWriter, type Stored } from '../../src/ledger/index.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { MemorySpool } from './memory-spool.ts';
import { AT, review, tally, uidOf, until } from './parts.ts';
import { virtualTime, type VirtualTime } from './virtual-time.ts';

/** SlowLedger takes so many milliseconds for each transaction, or never ends it. */
class SlowLedger implements LedgerWriter {
  readonly memory = new MemoryLedger();
  takes = 0;
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  async appendAll(entries: readonly LedgerEntry[]): Promise<readonly Stored[]> {
    if (this.takes > 0) await new Promise<void>((resolve) => void this.#time.after(this.takes, resolve));
    return this.memory.appendAll(entries);
  }
}

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function open(spool = new MemorySpool()) {
  const time = virtualTime(AT);
  const ledger = new SlowLedger(time);
  const lines: Line[] = [];
  const say =
    (level: string) =>
    (message: string, fields = {}): void =>
      void lines.push({ level, message, fields });
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const count = tally();
  const appender = new Appender({ writer: ledger, spool, timers: time, log, count });
  return { time, ledger, spool, lines, count, appender };
}

/** An appender with so many reviews of one row in its spool, which the database refused. */
async function holding(reviews: number) {
  const parts = open();
  const { ledger, appender, time } = parts;
  ledger.memory.mode = 'down';
  const answers = Array.from({ length: reviews }, (_, n) => appender.append(review(n)));
  await time.passUntil(Promise.all(answers));
  assert.equal(appender.waiting.spooled, reviews);
  return parts;
}

/** The lines that tell what is left. */
const left = (lines: readonly Line[]): Line[] =>
  lines.filter(({ message }) => message.includes('stay in the spool'));

test('the end puts back what a slow database takes within its time, and leaves nothing', async () => {
  const { ledger, appender, time, spool, lines } = await holding(1000);
  ledger.memory.mode = 'up';
  ledger.takes = 5000;
  const took = await time.passUntil(appender.close(30_000));
  assert.equal(spool.rows, 0);
  assert.deepEqual(
    ledger.memory.uids(),
    Array.from({ length: 1000 }, (_, n) => uidOf(n)),
  );
  assert.equal(appender.delayed, false);
  assert.ok(took >= 20_000 && took < 30_000, `${took} ms: as long as it needed`);
  assert.deepEqual(left(lines), []);
});

test('what a database is too slow for stays in the spool and is logged once: how much, since when, where, what to do', async () => {
  const { ledger, appender, time, spool, lines } = await holding(1000);
  ledger.memory.mode = 'up';
  ledger.takes = 5000;
  const took = await time.passUntil(appender.close(12_000));
  appender.sayLeft(); // a second signal
  // Two transactions ended within the time, and a third that was under way did right behind it or not at all.
  assert.equal(ledger.memory.rows.length + spool.rows, 1000);
  assert.ok(spool.rows > 0 && spool.rows < 500, `${spool.rows} rows`);
  assert.ok(took >= 12_000 && took <= 14_000, `${took} ms`);
  const [line, ...more] = left(lines);
  assert.equal(more.length, 0);
  assert.equal(line?.level, 'warn');
  const first = 1000 - spool.rows;
  assert.deepEqual(
    { ...line?.fields, hint: undefined },
    {
      reviews: spool.rows,
      rows: spool.rows,
      since: formatTime(AT + first),
      spool: 'memory',
      hint: undefined,
    },
  );
  assert.match(String(line?.fields['hint']), /ipo ledger put-back memory --database/);
  assert.equal(appender.delayed, true);
});

test('a database that is down at the end, or a write that never ends, costs the time and no more', async () => {
  const down = await holding(3);
  assert.ok((await down.time.passUntil(down.appender.close(12_000))) <= 14_000);
  assert.equal(left(down.lines)[0]?.fields['reviews'], 3);

  const hung = open();
  hung.ledger.takes = 100_000_000;
  await hung.time.passUntil(hung.appender.append(review(1)));
  assert.ok((await hung.time.passUntil(hung.appender.close(12_000))) <= 14_000);
  assert.equal(left(hung.lines)[0]?.fields['reviews'], 1);
});

test('a write that commits behind the end is put back once more, and is there once', async () => {
  const { ledger, appender, time, spool } = await holding(2);
  ledger.memory.mode = 'up';
  ledger.takes = 60_000;
  await time.passUntil(appender.close(12_000));
  assert.equal(spool.rows, 2, 'nobody knows whether it will commit');
  await time.pass(120_000);
  assert.deepEqual(ledger.memory.uids(), [uidOf(0), uidOf(1)]);
  assert.equal(spool.rows, 2, 'nothing touches the spool once it is closed');

  const next = open(spool);
  next.ledger.memory.rows.push(...ledger.memory.rows);
  await until(() => !next.appender.delayed, 'it is put back');
  assert.deepEqual(next.ledger.memory.uids(), [uidOf(0), uidOf(1)]);
  assert.equal(spool.rows, 0);
});

test('the next process on the spool finds what was left, logs and counts it, and puts it back', async () => {
  const { appender, time, spool } = await holding(5);
  await time.passUntil(appender.close(0));
  const next = open(spool);
  const [line] = next.lines;
  assert.equal(line?.message, 'an earlier process left reviews in the spool; they are put back');
  assert.deepEqual(line?.fields, { reviews: 5, rows: 5, since: formatTime(AT), spool: 'memory' });
  assert.equal(next.count.totals['svc_ledger_found_rows_total'], 5);
  assert.equal(next.appender.waiting.since, AT);
  await until(() => !next.appender.delayed, 'it is put back');
  assert.equal(next.ledger.memory.rows.length, 5);
});

test('a clean end waits for nothing', async () => {
  const { appender, time, lines } = open();
  await time.passUntil(appender.append(review(1)));
  assert.equal(await time.passUntil(appender.close(30_000)), 0);
  assert.deepEqual(lines, []);
});
