import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { SteadyClock, type StoredClock } from '../../src/trackers/index.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import type { FakeTracker } from './fake-tracker.ts';
import { DAY, HOUR, MINUTE, VirtualClock } from './virtual-clock.ts';
import { BEGIN, worldsOf, type World } from './world.ts';

/** Holds that in no 24 hours of real time more issues were opened than the cap. */
function assertCap({ issues }: FakeTracker, cap: number): void {
  const times = issues.map(({ openedAt }) => openedAt).toSorted((a, b) => a - b);
  for (const [index, time] of times.entries()) {
    const next = times[index + cap];
    if (next !== undefined) assert.ok(next - time >= DAY, `${cap + 1} issues within ${next - time} ms`);
  }
}

/** What can happen between two runs. */
type Turn =
  | { readonly kind: 'advance' | 'step'; readonly ms: number }
  | { readonly kind: 'restart'; readonly down: number; readonly skew: number }
  | { readonly kind: 'fault'; readonly fault: 'timeout' | 'refused' | 'server' | null };

const advance = fc.record({
  kind: fc.constant('advance' as const),
  ms: fc.integer({ min: 1, max: 9 * HOUR }),
});
const TURN: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 6, arbitrary: advance },
  // Someone sets the clock: by minutes, by an hour (a time zone for UTC, or daylight saving), by a day.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      ms: fc.constantFrom(-DAY, -HOUR, -15 * MINUTE, -2000, 2000, 15 * MINUTE, HOUR, DAY, 30 * DAY),
    }),
  },
  // Another process, on a machine whose clock is up to five minutes off.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      down: fc.integer({ min: 0, max: 30 * HOUR }),
      skew: fc.integer({ min: -5 * MINUTE, max: 5 * MINUTE }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom('timeout' as const, 'refused' as const, 'server' as const, null),
    }),
  },
);

async function take(world: World, turn: Turn, image: number): Promise<void> {
  const fake = world.fake();
  if (turn.kind === 'advance') world.clock.advance(turn.ms);
  if (turn.kind === 'step') world.clock.step(turn.ms);
  if (turn.kind === 'fault') fake.fault = (operation) => (operation === 'create' ? turn.fault : null);
  if (turn.kind === 'restart') {
    world.clock.advance(turn.down);
    world.clock.step(turn.skew);
    await world.start();
  }
  if (image % 3 === 0) await world.scan(image, ['CVE-1', 'CVE-2', 'CVE-3']);
  await world.file();
  if (image % 5 === 0) await world.sweep();
}

forEachEngine('clocks', (engine) => {
  const open = worldsOf(engine);

  test('in no 24 hours of real time are more issues opened than the cap, whatever happens to clocks, calls and processes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(TURN, { minLength: 5, maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('effect' as const, 'none' as const, 'late' as const),
        async (turns, cap, outcome) => {
          const world = await open();
          const fake = await world.channel('main', { dailyCap: cap, firstRunSummary: false });
          fake.outcome = outcome;
          fake.takes = 700;
          for (const [image, turn] of turns.entries()) await take(world, turn, image + 1);
          assertCap(fake, cap);
          const markers = fake.issues.map(({ marker }) => marker);
          assert.equal(new Set(markers).size, markers.length, 'no issue twice');
          const rows = await world.rows();
          assert.equal(new Set(rows.map(({ digest, cve }) => `${digest} ${cve}`)).size, rows.length);
        },
      ),
      { numRuns: engine.name === 'sqlite' ? runs(60) : runs(2) },
    );
  });

  test('a cap that was used up before midnight is used up after it, and on the day the clocks change', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 3, firstRunSummary: false });
    // Into the last hour before the end of daylight saving in Europe.
    world.clock.step(Date.UTC(2026, 9, 25, 0, 30) - world.clock.now());
    await world.scan(
      1,
      Array.from({ length: 12 }, (_, index) => `CVE-${index}`),
    );
    const opened: number[] = [];
    for (let hour = 0; hour < 73; hour += 1) {
      await world.file();
      opened.push(fake.issues.length);
      world.clock.advance(HOUR);
    }
    assert.equal(opened[23], 3);
    assert.equal(opened[24], 6);
    assert.equal(opened[48], 9);
    assert.equal(opened[72], 12);
  });

  test('claims of another day find their place under the cap again before they are filed, and before new ones', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 3, firstRunSummary: false });
    fake.fault = (operation) => (operation === 'create' ? 'redirect' : null);
    await world.scan(1, ['OLD-1', 'OLD-2', 'OLD-3']);
    await world.file();
    assert.equal((await world.rows()).length, 3);
    await world.setChannel('main', { enabled: false });
    fake.fault = () => null;
    world.clock.advance(2 * DAY);
    await world.setChannel('main', { enabled: true });
    await world.setChannel('main', { dailyCap: 2 });
    await world.scan(2, ['NEW-1', 'NEW-2', 'NEW-3']);
    for (let hour = 0; hour < 80; hour += 1) {
      await world.file();
      world.clock.advance(HOUR);
    }
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['OLD-1', 'OLD-2', 'OLD-3', 'NEW-1', 'NEW-2', 'NEW-3'],
    );
    assertCap(fake, 2);
  });

  test('a clock that stepped back keeps neither quiet nor warning for ever', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 1, firstRunSummary: false });
    world.clock.step(30 * DAY);
    await world.scan(1, ['CVE-1', 'CVE-2']);
    fake.fault = () => 'rate_limited';
    await world.file();
    world.clock.step(-30 * DAY);
    fake.fault = () => null;
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal(fake.issues.length, 1);
    assert.equal(world.log.filter(({ message }) => message.includes('daily cap')).length, 2);
  });
});

suite('the steady clock', () => {
  function stored(): { clock(): Promise<StoredClock | null>; saveClock(next: StoredClock): Promise<void> } {
    let kept: StoredClock | null = null;
    return {
      clock: async () => kept,
      saveClock: async (next) => {
        if (kept === null || next.steady >= kept.steady) kept = next;
      },
    };
  }

  test('goes with real time, however the wall clock is set', async () => {
    const clock = new VirtualClock(BEGIN);
    const steady = new SteadyClock(stored(), clock);
    await steady.keep(1);
    const begin = steady.now();
    clock.advance(HOUR);
    clock.step(-DAY);
    clock.advance(HOUR);
    clock.step(3 * DAY);
    await steady.keep(1);
    assert.equal(steady.now() - begin, 2 * HOUR);
  });

  test('goes on over a restart by what the wall clock says has passed, less five minutes, and never back', async () => {
    for (const [down, step, passed] of [
      [HOUR, 0, HOUR - 5 * MINUTE],
      [HOUR, 5 * MINUTE, HOUR],
      [MINUTE, 0, 0],
      [HOUR, -DAY, 0],
    ] as const) {
      const clock = new VirtualClock(BEGIN);
      const store = stored();
      const before = new SteadyClock(store, clock);
      await before.keep(1);
      const begin = before.now();
      clock.advance(down);
      clock.step(step);
      const after = new SteadyClock(store, clock);
      await after.keep(2);
      assert.equal(after.now() - begin, passed);
    }
  });

  test('a leader that comes back goes on from where the other one was', async () => {
    const clock = new VirtualClock(BEGIN);
    const store = stored();
    const one = new SteadyClock(store, clock);
    const two = new SteadyClock(store, clock);
    await one.keep(1);
    clock.advance(HOUR);
    await two.keep(2);
    clock.advance(HOUR);
    await two.keep(2);
    await one.keep(3);
    assert.ok(one.now() >= two.now() - 1);
    clock.advance(1);
    assert.ok(one.now() > two.now() - 1);
  });
});
