import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetentionTime } from '../../src/app/running/retention-time.service.ts';
import { retentionJob } from '../../src/app/ledger/history.ts';
import { answeredMinutes, historyReader, retentionTimes, type Store } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { listen } from '../ledger/parts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEPT = 400;
const TODAY = 1000;

/** A service over a store whose clock and whose passing of time a test sets. */
function world(store: Store) {
  const state = { wall: TODAY * DAY, tick: 0 };
  const log = listen();
  const begin = () =>
    new RetentionTime({
      ...{ times: retentionTimes(store), clock: { now: () => state.wall }, log },
      monotonic: () => state.tick,
    });
  let retention = begin();
  const run = (): Promise<void> | undefined =>
    retentionJob(store, KEPT, retention)[0]?.run(new AbortController().signal);
  return {
    state,
    log,
    run,
    now: () => retention.now(),
    /** As after a restart: nothing of this process is left. */
    restart: () => void (retention = begin()),
    /** Lets time pass in the running service, which looks every hour. */
    async pass(hours: number): Promise<void> {
      for (let hour = 0; hour < hours; hour += 1) {
        state.wall += HOUR;
        state.tick += HOUR;
        await run();
      }
    },
    days: async () => (await historyReader(store).days(0, 5000)).map(({ day }) => day),
    keep: (...days: number[]) =>
      answeredMinutes(store).keep(
        'eu-1',
        days.map((day) => day * 1440),
      ),
  };
}

forEachEngine('retention', (engine) => {
  test('loses nothing that is not due to a clock that is ahead for a while, also over a restart', async (t) => {
    const w = world(await engine.open(t));
    await w.run();
    await w.keep(TODAY - KEPT, TODAY - 1);
    w.state.wall += 365 * DAY;
    await w.run();
    await w.pass(5);
    w.restart();
    await w.pass(18);
    assert.deepEqual(await w.days(), [TODAY - KEPT, TODAY - 1]);
    const waits = w.log.lines.filter((line) => line.includes('retention waits'));
    assert.equal(waits.length, 2, 'once for each process');
    w.state.wall -= 365 * DAY;
    await w.pass(30);
    assert.deepEqual(await w.days(), [TODAY - 1], 'what is due goes as ever');
    assert.equal(await w.now(), w.state.wall);
    assert.match(w.log.lines.at(-1) ?? '', /retention counts with the clock again/);
  });

  test('of a service that was off for 60 days catches up after a day, however often it is started again', async (t) => {
    const w = world(await engine.open(t));
    await w.run();
    await w.keep(TODAY - KEPT + 30, TODAY - KEPT + 90);
    for (let start = 0; start < 4; start += 1) {
      // Off for longer than it runs, and a little at each start.
      w.state.wall += start === 0 ? 60 * DAY : HOUR / 2;
      w.restart();
      await w.run();
      await w.pass(5);
    }
    await w.pass(3);
    assert.equal((await w.days()).length, 2);
    await w.pass(1);
    assert.deepEqual(await w.days(), [TODAY - KEPT + 90]);
    await w.pass(26);
    assert.equal(await w.now(), w.state.wall);
  });

  test('does not take a clock for right that went ahead while it waited for something else', async (t) => {
    const w = world(await engine.open(t));
    await w.run();
    w.state.wall += 2 * HOUR;
    await w.pass(23);
    w.state.wall += 365 * DAY;
    await w.pass(3);
    assert.ok((await w.now()) <= (TODAY + 2) * DAY + 4 * HOUR);
    w.state.wall -= 365 * DAY;
    assert.equal(await w.now(), w.state.wall);
  });

  test('is never ahead of a clock that was set back', async (t) => {
    const w = world(await engine.open(t));
    await w.pass(2);
    w.state.wall -= 3 * DAY;
    assert.equal(await w.now(), w.state.wall);
  });
});
