import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../src/base/index.ts';
import { CHANNEL_EVENTS } from '../../src/channels/index.ts';
import {
  graceOf,
  monthEnd,
  monthOf,
  monthStart,
  NODE_EVENTS,
  nodeGauges,
  planNodes,
  type NodeEvent,
  type NodeStanding,
} from '../../src/nodes/index.ts';
import { runs } from '../runs.ts';

const AT = Date.UTC(2026, 10, 20, 6);
const GRACE = graceOf(14);

interface Poll {
  readonly count: number;
  readonly ceiling: number | null;
  /** Days after the poll before. */
  readonly days?: number;
}

/** Polls one after another, and what each told. */
function follow(polls: readonly Poll[]): { told: NodeEvent[][]; standing: NodeStanding | null; at: number } {
  let standing: NodeStanding | null = null;
  let at = AT;
  const told = polls.map(({ count, ceiling, days = 1 }) => {
    at += days * DAY_MS;
    const plan = planNodes(standing, { cluster: 'eu', count, ceiling, at, grace: GRACE });
    standing = plan.standing;
    return plan.notices.map(({ event }) => event);
  });
  return { told, standing, at };
}

test('each transition is told once, in the course of an overage', () => {
  const counts = [7, 8, 9, 10, 11, 12, 11, 12, 10, 9, 7, 8];
  const { told } = follow(counts.map((count, i) => ({ count, ceiling: 10, days: i === 7 ? 14 : 1 })));
  assert.deepEqual(told, [
    [],
    ['nodes_80'],
    [],
    [],
    ['nodes_over'],
    [],
    [],
    ['nodes_enforced'],
    ['nodes_cleared'],
    [],
    [],
    ['nodes_80'],
  ]);
});

test('the grace is fourteen days at most, and ends to the millisecond', () => {
  const before = planNodes(null, { cluster: 'eu', count: 11, ceiling: 10, at: AT, grace: GRACE });
  const [notice] = before.notices;
  assert.deepEqual(notice?.payload, {
    ...{ cluster: 'eu', count: 11, ceiling: 10, at: '2026-11-20T06:00:00Z' },
    ...{ over_since: '2026-11-20T06:00:00Z', enforced_from: '2026-12-04T06:00:00Z' },
  });
  const after = (ms: number): string =>
    planNodes(before.standing, { cluster: 'eu', count: 11, ceiling: 10, at: AT + ms, grace: GRACE }).standing
      .state;
  assert.deepEqual([after(14 * DAY_MS - 1), after(14 * DAY_MS)], ['over', 'enforced']);
  assert.deepEqual([graceOf(365), graceOf(3), graceOf(-1)], [14 * DAY_MS, 3 * DAY_MS, 0]);
  const none = planNodes(null, { cluster: 'eu', count: 11, ceiling: 10, at: AT, grace: 0 });
  assert.deepEqual(
    none.notices.map(({ event }) => event),
    ['nodes_over', 'nodes_enforced'],
  );
});

test('a clock that was cleared begins again; one that was set back does not end enforcement', () => {
  const { standing } = follow([
    { count: 11, ceiling: 10 },
    { count: 10, ceiling: 10, days: 13 },
    { count: 11, ceiling: 10, days: 1 },
    { count: 11, ceiling: 10, days: 13 },
  ]);
  assert.deepEqual([standing?.state, standing?.overSince], ['over', AT + 15 * DAY_MS]);
  const enforced = follow([
    { count: 11, ceiling: 10 },
    { count: 11, ceiling: 10, days: 14 },
    { count: 11, ceiling: 10, days: -10 },
  ]);
  assert.equal(enforced.standing?.state, 'enforced');
});

test('without a certificate there is no ceiling; one that goes away clears what it began', () => {
  const { told, standing } = follow([
    { count: 5000, ceiling: null },
    { count: 5000, ceiling: 10 },
    { count: 5000, ceiling: null },
  ]);
  assert.deepEqual(told, [[], ['nodes_over'], ['nodes_cleared']]);
  assert.deepEqual(
    [standing?.state, standing?.ceiling, standing?.overSince, standing?.notified],
    ['within', null, null, null],
  );
});

test('another ceiling counts from the next poll on', () => {
  const { told } = follow([
    { count: 10, ceiling: 10 },
    { count: 10, ceiling: 9 },
    { count: 10, ceiling: 20 },
    { count: 10, ceiling: 12 },
  ]);
  assert.deepEqual(told, [['nodes_80'], ['nodes_over'], ['nodes_cleared'], ['nodes_80']]);
});

test('events alternate as the states do, whatever is counted', () => {
  const arbitraryPoll = fc.record({
    count: fc.nat(20),
    ceiling: fc.option(fc.integer({ min: 1, max: 15 })),
    days: fc.constantFrom(1, 7, 14),
  });
  fc.assert(
    fc.property(fc.array(arbitraryPoll, { maxLength: 30 }), (polls) => {
      const { told, standing } = follow(polls);
      const flow = told.flat().filter((event) => event !== 'nodes_80');
      for (const [i, event] of flow.entries()) {
        const before = flow[i - 1] ?? 'nodes_cleared';
        if (event === 'nodes_over') assert.equal(before, 'nodes_cleared');
        if (event === 'nodes_enforced') assert.equal(before, 'nodes_over');
        if (event === 'nodes_cleared') assert.notEqual(before, 'nodes_cleared');
      }
      const last = flow.at(-1) ?? 'nodes_cleared';
      const state = { nodes_over: 'over', nodes_enforced: 'enforced', nodes_cleared: 'within', nodes_80: '' }[
        last
      ];
      assert.equal(standing?.state ?? 'within', state);
      assert.equal(standing?.overSince === null || standing === null, state === 'within');
    }),
    { numRuns: runs(300) },
  );
});

test('gauges: -1 without a ceiling, 0 seconds while within, nothing before the first count', () => {
  assert.deepEqual(nodeGauges(null, null, AT), { count: null, ceiling: -1, overageSeconds: 0 });
  const { standing, at } = follow([{ count: 11, ceiling: 10 }]);
  assert.deepEqual(nodeGauges(standing, 10, at + 90_500), { count: 11, ceiling: 10, overageSeconds: 90.5 });
  const { standing: within } = follow([{ count: 10, ceiling: 10 }]);
  assert.deepEqual(nodeGauges(within, 10, at), { count: 10, ceiling: 10, overageSeconds: 0 });
});

test('channels know the events of nodes', () => {
  assert.deepEqual(
    CHANNEL_EVENTS.filter((event) => event.startsWith('nodes_')),
    [...NODE_EVENTS],
  );
});

test('a month is that of UTC', () => {
  assert.equal(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999)), '2026-12');
  assert.equal(monthOf(Date.UTC(2027, 0, 1)), '2027-01');
  for (let month = 0; month < 48; month += 1) {
    const at = Date.UTC(2024, month, 15, 12);
    assert.equal(monthStart(at), Date.UTC(2024, month, 1));
    assert.equal(monthEnd(at), Date.UTC(2024, month + 1, 1));
    assert.equal(monthEnd(Date.UTC(2024, month, 1)), Date.UTC(2024, month + 1, 1));
  }
});
