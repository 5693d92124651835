import { strict as assert } from 'node:assert';
import type { Flavour } from './fake-tracker.ts';
import type { Worker } from './real-process-child.ts';
import { openScene, run, toAct, undisturbed, type Lane, type Scene } from './real-process-lane.ts';
import type { Spot } from './real-process-words.ts';
import { MINUTE } from './virtual-clock.ts';

/** Pair is two processes that take turns in leading. */
export type Pair = readonly [Worker, Worker];

/** Pause is a place at which a process that leads stands still, and for how long. */
export interface Pause extends Spot {
  readonly act: 'file' | 'sweep';
  readonly ms: number;
}

/** Long enough for another to begin; as long as a write that was noted may still be sent; and beyond every wait. */
const LENGTHS = [2000, 30_000, 30 * MINUTE];

/** PAUSES are before and after each step of filing and closing, of each length. */
export const PAUSES: readonly Pause[] = (
  [
    ['file', 'claim'],
    ['file', 'beginAttempt'],
    ['file', 'create'],
    ['file', 'recordIssue'],
    ['sweep', 'beginClosing'],
    ['sweep', 'comment'],
    ['sweep', 'commented'],
    ['sweep', 'close'],
    ['sweep', 'finishClosing'],
  ] as const
).flatMap(([act, call]) =>
  LENGTHS.flatMap((ms) => [
    { act, call, when: 'before', ms } as const,
    { act, call, when: 'after', ms } as const,
  ]),
);

function assertOnce({ fake }: Scene, issues: number): void {
  assert.equal(fake.state.issues.length, issues);
  for (const { state, comments } of fake.state.issues)
    assert.deepEqual([state, comments.filter(({ system }) => !system).length], ['closed', 1]);
  assert.deepEqual([fake.violations, fake.elsewhere.requests.length], [[], 0]);
}

/** Four turns of ten minutes, and as many as look-ups of an issue take while there is none. */
async function settle(scene: Scene, worker: Worker): Promise<void> {
  const { world } = scene;
  const filed = async (): Promise<boolean> => (await world.rows()).every(({ issue }) => issue !== null);
  for (let turn = 0; turn < 4 || (turn < 14 && !(await filed())); turn += 1) {
    world.clock.advance(10 * MINUTE);
    await run(scene, worker, toAct(scene, 'file'), undisturbed);
    await run(scene, worker, toAct(scene, 'sweep'), undisturbed);
  }
}

/**
 * paused has a process stand still at a place while another takes the lead and goes on with the work; then the first one goes on too,
 * still sure that it leads. Throws AssertionError where anything is doubled or lost.
 */
export async function paused(
  lane: Lane,
  [first, second]: Pair,
  flavour: Flavour,
  { act, call, when, ms }: Pause,
): Promise<void> {
  const scene = await openScene(lane, flavour);
  const { world, fake } = scene;
  let stood = 0;
  try {
    await lane.lead(first, world.clock.now());
    await world.scan(1, ['CVE-1']);
    const stand = async (): Promise<{ spots: []; at: number }> => {
      stood += 1;
      await lane.lead(second, world.clock.now());
      world.clock.advance(ms);
      await run(scene, second, toAct(scene, act), undisturbed);
      await run(scene, second, toAct(scene, act), undisturbed);
      return { spots: [], at: world.clock.now() };
    };
    if (act === 'file') await run(scene, first, toAct(scene, 'file', [{ call, when }]), stand);
    else {
      await run(scene, first, toAct(scene, 'file'), undisturbed);
      await world.scan(1, []);
      await run(scene, first, toAct(scene, 'sweep', [{ call, when }]), stand);
    }
    assert.equal(stood, 1, 'it stood still');
    await settle(scene, second);
    assert.equal((await world.row()).issue?.id, String(fake.state.issues[0]?.id));
    await world.scan(1, []);
    await settle(scene, second);
    assertOnce(scene, 1);
    assert.equal((await world.row()).reason, 'fixed');
  } finally {
    await fake.close();
  }
}

/** together has two processes file and sweep at the same time, the lead changing hands between them again and again. */
export async function together(lane: Lane, pair: Pair, flavour: Flavour): Promise<void> {
  const scene = await openScene(lane, flavour, { change: { dailyCap: 500, firstRunSummary: false } });
  const { world, fake } = scene;
  for (const worker of pair) await lane.lead(worker, world.clock.now());
  const cves = Array.from({ length: 12 }, (_, n) => `CVE-${n}`);
  const both = async (act: 'file' | 'sweep', leads: number): Promise<void> => {
    const leader = pair[leads % 2 === 0 ? 0 : 1];
    const acting = pair.map((worker) => run(scene, worker, toAct(scene, act), undisturbed));
    await Promise.all(acting);
    await lane.lead(leader, world.clock.now());
    world.clock.advance(10 * MINUTE);
  };
  try {
    await world.scan(1, cves);
    for (let turn = 0; turn < 6; turn += 1) await both('file', turn);
    assert.equal(fake.state.issues.length, cves.length);
    await world.scan(1, []);
    for (let turn = 0; turn < 6; turn += 1) await both('sweep', turn);
    assertOnce(scene, cves.length);
    assert.ok((await world.rows()).every(({ reason }) => reason === 'fixed'));
  } finally {
    await fake.close();
  }
}
