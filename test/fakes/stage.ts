import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { TrackerError, type Block, type IssueTracker } from '../../src/trackers/index.ts';
import {
  FakeClock,
  NO_LIMITS,
  startFake,
  type CallAct,
  type Fake,
  type FakeKind,
} from '../../fakes/index.ts';
import { firstTarget, openTracker, type TrackerOptions } from './tracker.ts';
import { checkByVendor, noVendorData } from './vendor.ts';

/** MARKERS are three markers. */
export const MARKERS = ['a', 'b', 'c'].map((letter) => `ipo-1-${letter.repeat(26)}`) as [
  string,
  string,
  string,
];

/** body is a text with every kind of block, around a value from outside. */
export function body(text: string): Block[] {
  return [
    { kind: 'heading', level: 2, content: [{ kind: 'text', text: 'A finding' }] },
    {
      kind: 'paragraph',
      content: [
        { kind: 'text', text: 'In ' },
        { kind: 'code', text },
      ],
    },
    { kind: 'list', items: [[{ kind: 'text', text }], [{ kind: 'code', text }]] },
    { kind: 'table', header: [[{ kind: 'text', text: 'package' }]], rows: [[[{ kind: 'code', text }]]] },
    { kind: 'code', text },
  ];
}

/** Stage is a fake with the service's own tracker on it. */
export interface Stage {
  readonly fake: Fake;
  readonly clock: FakeClock;
  readonly tracker: IssueTracker;
  readonly target: string;
  /** Moves the clock beyond the lag of the search and the quiet that a provider asked for. */
  readonly later: () => void;
}

/** begin starts a fake and opens a tracker on it; what must never happen is asked when the test is over. */
export async function begin(
  t: TestContext,
  kind: FakeKind,
  options: TrackerOptions = {},
  limits = NO_LIMITS,
): Promise<Stage> {
  const clock = new FakeClock();
  const fake = await startFake(kind, { clock, limits, lagMs: kind.startsWith('jira') ? 120_000 : 0 });
  t.after(async () => {
    await fake.close();
    assert.deepEqual(fake.violations, []);
    assert.equal(fake.faults.waiting, 0);
    assert.equal(fake.elsewhere.requests.length, 0, 'something was sent to another host');
    if (noVendorData === false) assert.deepEqual(checkByVendor(fake).problems, []);
  });
  const tracker = openTracker(fake, { ...options, clock });
  return { fake, clock, tracker, target: firstTarget(fake), later: () => clock.advance(20 * 60_000) };
}

/** draft is an issue to be opened. */
export const draft = (marker: string, text = 'openssl'): Parameters<IssueTracker['create']>[1] => ({
  title: `CVE-2026-0001 in ${text}`,
  body: body(text),
  labels: ['security'],
  marker,
});

/** refusal gives the error that a call must end with. */
export async function refusal(act: () => Promise<unknown>): Promise<TrackerError> {
  try {
    await act();
  } catch (error) {
    assert.ok(error instanceof TrackerError, String(error));
    return error;
  }
  return assert.fail('nothing was refused');
}

/** acts lists what was asked of a fake. */
export const acts = (fake: Fake): CallAct[] => fake.requests.map(({ act }) => act);
