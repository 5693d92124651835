import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinSinglePods, othersText } from '../../../src/whatif/report/single-pods.ts';
import type { ChangeGroup } from '../../../src/whatif/result.ts';

const group = (workload: string, more: Partial<ChangeGroup> = {}): ChangeGroup => ({
  ...{ change: 'would_deny', namespace: 'sandbox', workload, image: 'busybox:1.36.1', label: 'digest' },
  ...{ reason: `digest required: ${workload}`, rows: 1, newest: '2026-11-20T06:00:00Z', ...more },
});

test('pods of one image with one row each are joined, with the sentence of the newest', () => {
  const joined = joinSinglePods([
    group('web', { rows: 2 }),
    ...Array.from({ length: 30 }, (_, n) => group(`shell-${n}`)),
    group('shell-last', { newest: '2026-11-20T07:00:00Z' }),
  ]);
  assert.deepEqual(
    joined.map((one) => [one.workload, one.rows, one.others, one.reason, othersText(one)]),
    [
      ['shell-last', 31, 30, 'digest required: shell-last', 'and 30 pods more'],
      ['web', 2, 0, 'digest required: web', ''],
    ],
  );
});

test('what differs in more than its name stays apart, and so do two pods', () => {
  const apart = [
    ...[group('a'), group('b')],
    ...['x', 'y', 'z'].map((image, n) => group(`c-${n}`, { image })),
    ...['x', 'y', 'z'].map((namespace, n) => group(`d-${n}`, { namespace })),
    ...['tag', 'unscanned', 'threshold'].map((label, n) => group(`e-${n}`, { label })),
    ...[1, 2, 3].map((n) => group(`f-${n}`, { rows: 2 })),
    group('g', { change: 'would_allow' }),
  ];
  const named = (all: readonly ChangeGroup[]) => new Set(all.map(({ workload }) => workload));
  assert.deepEqual(named(joinSinglePods(apart)), named(apart));
  assert.deepEqual(joinSinglePods([]), []);
});
