import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  remediationState,
  summariseHistory,
  type HistoryQuestion,
  type RemediationCounts,
  type TrackingRow,
} from '../../src/trackers/index.ts';
import { runs } from '../runs.ts';
import { NOW, trackingRow } from './rows.ts';
import { DAY, HOUR } from './virtual-clock.ts';

const WINDOW = 24 * HOUR;
const QUESTION: HistoryQuestion = {
  from: NOW - 30 * DAY,
  to: NOW,
  asOf: NOW,
  window: WINDOW,
  connected: true,
};
const OPENED = NOW - 10 * DAY;

function closed(reason: TrackingRow['reason'], hours: number, more: Partial<TrackingRow> = {}): TrackingRow {
  return trackingRow({ state: 'closed', reason, openedAt: OPENED, closedAt: OPENED + hours * HOUR, ...more });
}

suite('the remediation-windows attestation', () => {
  const base: RemediationCounts = { window: WINDOW, connected: true, raised: 3, fixed: 2, inside: 2 };
  for (const [what, counts, expected] of [
    ['gap: no remediation window is declared', { window: null }, 'gap'],
    ['gap: no window is declared, and no tracker is connected', { window: null, connected: false }, 'gap'],
    ['partial: no tracker is connected', { connected: false }, 'partial'],
    ['partial: a tracker is connected and nothing was raised', { raised: 0, fixed: 0, inside: 0 }, 'partial'],
    ['partial: nothing raised has been fixed', { fixed: 0, inside: 0 }, 'partial'],
    ['gap: findings were fixed but none inside the declared window', { inside: 0 }, 'gap'],
    ['partial: some fixes were inside the window and some late', { inside: 1 }, 'partial'],
    ['met: every fixed finding was fixed inside the window, and at least one was', {}, 'met'],
    ['met: what is still open is no fix that was late', { raised: 100, fixed: 1, inside: 1 }, 'met'],
  ] satisfies [string, Partial<RemediationCounts>, string][])
    test(what, () => {
      assert.equal(remediationState({ ...base, ...counts }), expected);
    });
});

suite('the history of a period', () => {
  test('counts what was opened, what is still open, and what was closed by each of the three reasons', () => {
    const rows = [
      closed('fixed', 1, { id: 1 }),
      closed('fixed', 24, { id: 2 }),
      closed('fixed', 24.01, { id: 3 }),
      closed('triaged', 1, { id: 4 }),
      closed('image_retired', 1, { id: 5, supersededBy: 'sha256:b', successorHasCve: false }),
      closed('image_retired', 1, { id: 6, supersededBy: 'sha256:b', successorHasCve: true }),
      closed('image_retired', 1, { id: 7 }),
      trackingRow({ id: 8, openedAt: OPENED }),
      trackingRow({ id: 9, openedAt: NOW - HOUR }),
    ];
    const { entries, ...counts } = summariseHistory(rows, QUESTION);
    assert.deepEqual(counts, {
      opened: 9,
      stillOpen: 2,
      closed: { fixed: 3, triaged: 1, image_retired: 3 },
      fixedInside: 2,
      fixedLate: 1,
      openPastWindow: 1,
      retiredReplaced: 1,
      returned: 0,
      remediation: {
        state: 'partial',
        sentence: 'Some fixes were inside the window and some late.',
      },
    });
    assert.equal(entries.length, 9);
  });

  test('an entry has CVE, image, issue URL, opened, closed, reason and hours open', () => {
    const [entry] = summariseHistory([closed('fixed', 36.5)], QUESTION).entries;
    assert.deepEqual(
      [
        entry?.cve,
        entry?.image,
        entry?.issueUrl,
        entry?.opened,
        entry?.closed,
        entry?.reason,
        entry?.hoursOpen,
      ],
      [
        'CVE-2026-1',
        'docker.io/team/app:1',
        'https://tracker.example/team/shop/issues/1',
        OPENED,
        OPENED + 36.5 * HOUR,
        'fixed',
        36.5,
      ],
    );
  });

  test('both ends of the period belong to it, and a row without an issue raised nothing', () => {
    const { from, to } = QUESTION;
    const rows = [
      trackingRow({ id: 1, openedAt: from }),
      trackingRow({ id: 2, openedAt: to }),
      trackingRow({ id: 3, openedAt: from - 1 }),
      trackingRow({ id: 4, openedAt: to + 1 }),
      trackingRow({ id: 5, openedAt: null, issue: null }),
    ];
    assert.equal(summariseHistory(rows, QUESTION).opened, 2);
  });

  test('what was closed after the present of the answer is open in it', () => {
    const asOf = OPENED + 12 * HOUR;
    const history = summariseHistory([closed('fixed', 13, { returnedAt: NOW })], { ...QUESTION, asOf });
    assert.deepEqual([history.stillOpen, history.closed.fixed, history.returned], [1, 0, 0]);
    assert.equal(history.entries[0]?.hoursOpen, 12);
  });

  test('without a declared window nothing is inside or late', () => {
    const history = summariseHistory([closed('fixed', 1)], { ...QUESTION, window: null });
    assert.deepEqual(
      [history.fixedInside, history.fixedLate, history.openPastWindow, history.remediation.state],
      [null, null, null, 'gap'],
    );
  });

  test('a finding that came back is counted', () => {
    const rows = [closed('fixed', 1, { returnedAt: NOW - DAY })];
    assert.equal(summariseHistory(rows, QUESTION).returned, 1);
  });

  test('whatever clocks did: hours open are never below zero, the reasons and the open add up, and the order does not matter', () => {
    const time = fc.integer({ min: NOW - 60 * DAY, max: NOW + 10 * DAY });
    const row = fc.record({
      id: fc.nat(),
      openedAt: fc.option(time),
      closedAt: time,
      state: fc.constantFrom('open' as const, 'closed' as const),
      reason: fc.constantFrom('fixed' as const, 'triaged' as const, 'image_retired' as const),
      cve: fc.constantFrom('A', 'B', 'C'),
    });
    fc.assert(
      fc.property(fc.array(row), (made) => {
        const rows = made.map(({ reason, state, ...one }) =>
          trackingRow({ ...one, state, reason: state === 'open' ? null : reason }),
        );
        const history = summariseHistory(rows, QUESTION);
        assert.ok(history.entries.every(({ hoursOpen }) => hoursOpen >= 0));
        const { fixed, triaged, image_retired } = history.closed;
        assert.equal(history.opened, history.stillOpen + fixed + triaged + image_retired);
        assert.equal((history.fixedInside ?? 0) + (history.fixedLate ?? 0), fixed);
        const { entries: _, ...counts } = summariseHistory(rows.toReversed(), QUESTION);
        const { entries: __, ...same } = history;
        assert.deepEqual(counts, same);
      }),
      { numRuns: runs(200) },
    );
  });
});
