import { strict as assert } from 'node:assert';
import type { Store } from '../../src/store/sql/store.ts';
import { alive, arm, PLACES, type Doom, type Place } from './dying-process.ts';
import { FAULTS, FLAVOURS, type FakeTracker, type Fault, type Flavour } from './fake-tracker.ts';
import { MINUTE } from './virtual-clock.ts';
import { World } from './world.ts';

/** STEPS are the seven steps of filing and closing, by the call that takes each. */
export const STEPS = {
  claim: 'claim',
  attempt: 'beginAttempt',
  create: 'create',
  record: 'recordIssue',
  comment: 'comment',
  close: 'close',
  mark: 'finishClosing',
} as const;
export type Step = keyof typeof STEPS;

/** Cell is one cell of the matrix: the process dies at a step, and the first call to the tracker from that step on goes wrong. */
export interface Cell {
  readonly flavour: Flavour;
  readonly step: Step;
  readonly fault: Fault;
  readonly place: Place;
}

/** CELLS are all 840. */
export const CELLS: readonly Cell[] = FLAVOURS.flatMap((flavour) =>
  (Object.keys(STEPS) as Step[]).flatMap((step) =>
    FAULTS.flatMap((fault) => PLACES.map((place) => ({ flavour, step, fault, place }))),
  ),
);

/** OUTCOMES are what a call of unknown outcome did; the scenario takes turns too. */
export const OUTCOMES = ['effect', 'none', 'late'] as const;
/** How late trackers list what was made: as late as is promised to be borne, but for what a write itself takes. */
const LISTS = { issues: { hosts: 58 * MINUTE, jira: 118 * MINUTE }, comments: 8 * MINUTE };
/** Within so many minutes an issue is filed; an unknown create takes until its last look-up, and a restart may cost five more. */
const FILED = { hosts: 70, jira: 130 };
const SWEEPS = 3;

/** lagsOf are the lags of a run of the n-th cell, spread evenly over all that are borne. */
export function lagsOf(
  { flavour }: Pick<Cell, 'flavour'>,
  nth: number,
  run: number,
): { readonly issues: number; readonly comments: number } {
  const draw = run * 7919 + nth * 104_729;
  const { issues, comments } = LISTS;
  const upTo = flavour.startsWith('jira') ? issues.jira : issues.hosts;
  return { issues: (draw * 61) % upTo, comments: (draw * 13) % comments };
}

/** filedWithin is within how many minutes an issue of a cell is filed. */
export function filedWithin({ flavour }: Pick<Cell, 'flavour'>): number {
  return flavour.startsWith('jira') ? FILED.jira : FILED.hosts;
}

/** pauseAfter is how many minutes to wait before filing runs again: one, and five once nothing is left but look-ups. */
export function pauseAfter(minute: number): number {
  return minute < 10 ? 1 : 5;
}

/** Ran tells what happened in a cell, so that a test can see that it was what the cell says. */
export interface Ran {
  readonly died: boolean;
  readonly failed: boolean;
}

/**
 * runCell files a finding (every third run a first run's summary of six) and closes it, with the fault and the crash of the cell, and holds
 * at every step what must hold. Throws AssertionError.
 */
export async function runCell(store: Store, cell: Cell, run: number): Promise<Ran> {
  const world = await World.open(store);
  const fake = await world.channel('main', { flavour: cell.flavour });
  const isSummary = run % 3 === 1;
  const cves = isSummary ? ['A', 'B', 'C', 'D', 'E', 'F'] : ['A'];
  fake.outcome = OUTCOMES[run % 3] ?? 'effect';
  const lags = lagsOf(cell, CELLS.indexOf(cell), run);
  fake.lag = lags.issues;
  fake.commentLag = lags.comments;
  // Data Center without a transition to close with, in every second of its runs.
  fake.closes = cell.flavour !== 'jira-datacenter' || run % 2 === 0;
  const ran = arm(world, doomOf(fake, cell));
  await world.scan(1, cves);

  for (let minute = 0, pause = 1; ; minute += pause) {
    await alive(world, () => world.file());
    if (minute % 10 === 9 || minute % 10 === 5) await alive(world, () => world.sweep());
    pause = pauseAfter(minute);
    world.clock.advance(pause * MINUTE);
    fake.land();
    assert.ok(fake.issues.length <= 1, 'a second issue');
    const rows = await world.rows();
    if (rows.length === cves.length && rows.every(({ issue }) => issue !== null)) break;
    assert.ok(minute < filedWithin(cell), 'not filed in time');
  }
  const stages = isSummary ? [['C', 'D', 'E', 'F'], []] : [[]];
  for (const [stage, left] of stages.entries()) {
    await world.scan(1, left);
    const { died } = ran;
    for (let sweep = 1; ; sweep += 1) {
      await alive(world, () => world.sweep());
      world.clock.advance(10 * MINUTE);
      await alive(world, () => world.file());
      const open = (await world.rows()).filter(({ state }) => state === 'open').length;
      assert.ok(open >= left.length, 'a row was closed whose finding has not ended');
      if (open === 0 && fake.closes)
        assert.equal(fake.issues[0]?.state, 'closed', 'closed before the tracker confirmed');
      if (open === left.length && (await settled(world))) break;
      // After a restart up to five minutes do not count, and a comment that may be there is looked for one sweep later.
      assert.ok(sweep < SWEEPS + (ran.died === died ? 0 : 1), 'not closed in time');
    }
    fake.land();
    assert.equal(
      fake.issues[0]?.comments.length,
      stage + 1,
      'one comment for each sweep that had something to say',
    );
  }
  await check(world, cves.length);
  return { died: ran.died, failed: ran.failed };
}

async function settled(world: World): Promise<boolean> {
  return (await world.process.parts.sweeps.closings()).length === 0;
}

async function check(world: World, findings: number): Promise<void> {
  const fake = world.fake();
  const rows = await world.rows();
  assert.equal(rows.length, findings, 'no row is lost or doubled');
  assert.equal(fake.issues.length, 1, 'one issue');
  assert.ok(rows.every(({ state, reason }) => state === 'closed' && reason === 'fixed'));
  // The rows that ended last say so; those before them left an issue that had findings still.
  assert.equal(
    rows.some(({ issueLeftOpen }) => issueLeftOpen),
    !fake.closes,
  );
  assert.equal(fake.issues[0]?.state, fake.closes ? 'closed' : 'open');
  const markers = fake.issues[0]?.comments.map(({ marker }) => marker) ?? [];
  assert.equal(new Set(markers).size, markers.length, 'no comment twice');
}

function doomOf(fake: FakeTracker, { step, fault, place }: Cell): Doom {
  const call = STEPS[step];
  let commented = false;
  fake.beforeClose = () => assert.ok(commented, 'closed before the row says so');
  return {
    ...{ call, place, fault },
    isWrite: call === 'create' || call === 'comment' || (call === 'close' && fake.closes),
    // The mark is the last step: what goes wrong is the call that it confirms.
    breaks: step === 'mark' ? (fake.closes ? 'close' : 'comment') : call,
    heard: (name, when) => {
      if (name === 'commented' && when === 'after') commented = true;
    },
  };
}
