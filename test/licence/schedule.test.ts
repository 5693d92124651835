import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../src/base/index.ts';
import { checkOffset, isCheckDue, nextCheckAt, replayCeiling, warningOf } from '../../src/licence/index.ts';
import { planNodes, type NodeStanding } from '../../src/nodes/index.ts';
import { runs } from '../runs.ts';

const START = Date.parse('2026-11-20T00:00:00Z');
const HOUR = 3_600_000;

test('checks of 1,000 clusters are spread over the day', () => {
  const hours = new Array<number>(24).fill(0);
  for (let n = 0; n < 1000; n += 1) {
    const hour = Math.floor(checkOffset(`uid-${n}`) / HOUR);
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
  assert.ok(Math.min(...hours) > 15 && Math.max(...hours) < 80, hours.join(' '));
});

test('schedules of time, replicas, renewals and node counts agree with an oracle that counts by itself', () => {
  const step = fc.record({
    minutes: fc.integer({ min: 1, max: 3000 }),
    replica: fc.integer({ min: 0, max: 2 }),
    nodes: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 6 }),
    ceiling: fc.option(fc.option(fc.integer({ min: 0, max: 15 })), { nil: 'same' as const, freq: 4 }),
  });
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 0, max: 14 }),
      (id, steps, days) => {
        const grace = days * DAY_MS;
        let at = START;
        let last: number | null = null;
        let ceiling: number | null = 5;
        let standing: NodeStanding | null = null;
        // The oracle: which day of the cluster was checked, since when it is over, and what was told.
        const checked = new Map<number, number>();
        const offset = checkOffset(id);
        let over: number | null = null;
        let enforced = false;
        for (const { minutes, nodes, ceiling: next } of steps) {
          at += minutes * 60_000;
          if (next !== 'same') ceiling = next;
          const day = Math.floor((at - offset) / DAY_MS);
          const due = isCheckDue(id, last, at);
          assert.equal(
            due,
            last === null || !checked.has(day),
            'one check for each day of the cluster, whichever replica makes it',
          );
          if (due) {
            assert.equal(nextCheckAt(id, last, at), at);
            checked.set(day, (checked.get(day) ?? 0) + 1);
            last = at;
          } else {
            const after = nextCheckAt(id, last, at);
            assert.ok(
              after > at &&
                after - at <= DAY_MS &&
                isCheckDue(id, last, after) &&
                !isCheckDue(id, last, after - 1),
            );
          }
          if (nodes === null) continue; // a poll that cannot count changes nothing
          const isOver = ceiling !== null && nodes > ceiling;
          const was: { readonly over: number | null; readonly enforced: boolean } = { over, enforced };
          if (!isOver) {
            over = null;
            enforced = false;
          } else {
            over ??= at;
            enforced = at - over >= grace && was.over !== null;
          }
          const { standing: made, notices } = planNodes(standing, {
            cluster: 'eu',
            count: nodes,
            ceiling,
            at,
            grace,
          });
          standing = made;
          const events = notices.map(({ event }) => event);
          if (!isOver) assert.deepEqual([made.state, made.overSince], ['within', null]);
          else assert.equal(made.overSince, over);
          if (isOver && at - (over ?? at) >= grace && was.over !== null) assert.equal(made.state, 'enforced');
          if (isOver && at - (over ?? at) < grace) assert.equal(made.state, 'over');
          assert.equal(events.includes('nodes_cleared'), was.over !== null && !isOver);
          assert.equal(new Set(events).size, events.length, 'each transition is told once');
          if (was.over !== null && isOver) assert.ok(!events.includes('nodes_over'));
          if (was.enforced && made.state === 'enforced') assert.ok(!events.includes('nodes_enforced'));
        }
        for (const count of checked.values()) assert.equal(count, 1);
      },
    ),
    { numRuns: runs(10_000, 10) },
  );
});

test('a clock that was far ahead does not keep the check back for ever; one that is set back makes no second one', () => {
  const last = START + 400 * DAY_MS;
  assert.equal(isCheckDue('a', last, START), true);
  assert.equal(isCheckDue('a', START, START - HOUR), false);
});

test('an end is warned of 30, 7 and 1 days before', () => {
  const end = START + 60 * DAY_MS;
  const steps = Array.from({ length: 62 }, (_, day) => warningOf(end, START + day * DAY_MS));
  assert.deepEqual(
    [29, 30, 52, 53, 58, 59, 60].map((day) => steps[day]),
    [null, 30, 30, 7, 7, 1, null],
  );
  assert.equal(warningOf(null, START), null);
});

test('the replay of a ceiling counts a name once, and a denied one not at all', () => {
  const rows = ['a', 'b', 'a', 'c', 'd', 'c', 'b'].map((name, i) => ({ at: START + i, name }));
  assert.deepEqual(replayCeiling(rows, 2), {
    ...{ ceiling: 2, admitted: 4 },
    denied: [
      { name: 'c', first: START + 3, admissions: 2 },
      { name: 'd', first: START + 4, admissions: 1 },
    ],
  });
  assert.deepEqual(replayCeiling(rows, null).denied, []);
  assert.equal(replayCeiling(rows, 0).denied.length, 4);
});
