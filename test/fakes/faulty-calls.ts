import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { FAULTS, type CallAct, type FakeKind, type FaultName } from '../../fakes/index.ts';
import { acts, begin, body, draft, MARKERS, refusal } from './stage.ts';
import { openTracker } from './tracker.ts';

const [FIRST, SECOND] = MARKERS;

/** Faults of the body of an answer; Jira answers a transition without one. */
const SPOILT: readonly FaultName[] = [
  'truncated JSON after effect',
  'oversized answer after effect',
  'compressed bomb after effect',
];

/** FaultyOptions: `timeoutMs` is the real time that a call which meets the fault waits; the others wait for longer. */
export interface FaultyOptions {
  readonly timeoutMs?: number;
}

/**
 * strikeWrites lets a fault meet the create, the comment and the close of one issue. Each sends one request, says what is known of it,
 * and what is looked up afterwards is the truth: so that whoever asks before writing again leaves no double.
 */
export async function strikeWrites(
  t: TestContext,
  kind: FakeKind,
  name: FaultName,
  { timeoutMs = 20_000 }: FaultyOptions = {},
): Promise<void> {
  const { fake, clock, tracker, target, later } = await begin(t, kind);
  const hasty = openTracker(fake, { clock, timeoutMs });
  await hasty.self();
  const since = clock.now();
  const effect = name.includes('after effect');
  const strike = async (act: CallAct, write: () => Promise<unknown>): Promise<void> => {
    fake.faults.inject({ act }, name);
    const before = acts(fake).filter((one) => one === act).length;
    const error = await refusal(write);
    assert.equal(error.happened, FAULTS[name].happened, error.message);
    assert.equal(acts(fake).filter((one) => one === act).length, before + 1);
    assert.ok(!error.message.includes(fake.tokens.good.secret));
    if (name === '429 with Retry-After' || name === '429 with a date') assert.equal(error.quietMs, 60_000);
    later();
  };
  await strike('create', () => hasty.create(target, draft(FIRST)));
  const found = await tracker.find(target, FIRST, since);
  assert.equal(found !== null, effect);
  const ref = found ?? (await tracker.create(target, draft(FIRST)));
  await strike('comment', () => hasty.comment(ref, { body: body('fixed'), marker: SECOND }));
  assert.deepEqual(await tracker.commentMarkers(ref, since), effect ? [SECOND] : []);
  if (!(kind.startsWith('jira') && SPOILT.includes(name))) {
    await strike('close', () => hasty.close(ref, 'fixed'));
    assert.equal((await tracker.read(ref)).state, effect ? 'closed' : 'open');
  }
  assert.equal(fake.state.issues.length, 1);
}

/** strikeReads lets a fault meet the reads: each fails without a doubt about writes, and is answered the next time. */
export async function strikeReads(
  t: TestContext,
  kind: FakeKind,
  name: FaultName,
  { timeoutMs = 20_000 }: FaultyOptions = {},
): Promise<void> {
  const { fake, clock, tracker, target, later } = await begin(t, kind);
  const hasty = openTracker(fake, { clock, timeoutMs });
  await hasty.self();
  const since = clock.now();
  const ref = await tracker.create(target, draft(FIRST));
  later();
  for (const [act, read] of [
    ['read', (from = hasty) => from.read(ref)],
    ['comments', (from = hasty) => from.commentMarkers(ref, since)],
    ['find', (from = hasty) => from.find(target, FIRST, since)],
  ] as const) {
    // Asked for again in smaller pages, a list that is too long is met three times.
    fake.faults.inject({ act, times: SPOILT.includes(name) ? 3 : 1 }, name);
    assert.equal((await refusal(() => read())).happened, 'no');
    fake.faults.clear();
    later();
    await read(tracker);
  }
}
