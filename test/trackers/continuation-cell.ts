import { strict as assert } from 'node:assert';
import type { Store } from '../../src/store/sql/store.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import type { Block } from '../../src/trackers/index.ts';
import { FAULTS, FLAVOURS, type Fault, type Flavour } from './fake-tracker.ts';
import { alive, arm, PLACES, type Doom, type Place } from './dying-process.ts';
import { filedWithin, lagsOf, OUTCOMES, pauseAfter, type Ran } from './fault-cell.ts';
import { MINUTE } from './virtual-clock.ts';
import { World } from './world.ts';

/** STEPS are the steps of continuing a summary, by the call that takes each. The issue is created between the first and the second. */
export const STEPS = {
  plan: 'plan',
  create: 'create',
  begin: 'begin',
  comment: 'comment',
  posted: 'posted',
} as const;
export type Step = keyof typeof STEPS;

/** Cell is one cell of the table: the process dies at a step, and the first call to the tracker from that step on goes wrong. */
export interface Cell {
  readonly flavour: Flavour;
  readonly step: Step;
  readonly fault: Fault;
  readonly place: Place;
}

/** CELLS are all 600. */
export const CELLS: readonly Cell[] = FLAVOURS.flatMap((flavour) =>
  (Object.keys(STEPS) as Step[]).flatMap((step) =>
    FAULTS.flatMap((fault) => PLACES.map((place) => ({ flavour, step, fault, place }))),
  ),
);

const CVES = ['A', 'B', 'C', 'D', 'E', 'F'];
/** Once the issue is there, three comments, of which one has to be looked up and posted again. */
const MINUTES = 20;

function said(text: string): readonly Block[] {
  return [{ kind: 'paragraph', content: [{ kind: 'text', text }] }];
}

/**
 * runCell files a summary that three comments continue, with the fault and the crash of the cell at one of the comments, closes it, and
 * holds that each comment is there once and in its order. Throws AssertionError.
 */
export async function runCell(store: Store, cell: Cell, run: number): Promise<Ran> {
  const world = await World.open(store);
  const fake = await world.channel('main', { flavour: cell.flavour });
  fake.outcome = OUTCOMES[run % 3] ?? 'effect';
  const lags = lagsOf(cell, CELLS.indexOf(cell), run);
  fake.lag = lags.issues;
  fake.commentLag = lags.comments;
  let plans = 0;
  // Each text is made of what is known then: what an issue says must be what its comments continue.
  world.begins = () => said(`plan ${(plans += 1)}`);
  world.more = () => {
    return [1, 2, 3].map((at) => said(`part ${at} of plan ${plans}`));
  };
  const ran = arm(world, doomOf(cell, (run + Math.floor(run / 3)) % 3));
  await world.scan(1, CVES);
  for (let minute = 0, pause = 1; ; minute += pause) {
    const calm = ran.died || ran.failed;
    await alive(world, () => world.file());
    if (!calm && (ran.died || ran.failed)) {
      // Another process goes on at once, while what was sent may still be on its way.
      world.clock.advance(MINUTE / 20);
      await alive(world, () => world.file());
    }
    if (minute % 10 === 9 || minute % 10 === 5) await alive(world, () => world.sweep());
    pause = pauseAfter(minute);
    world.clock.advance(pause * MINUTE);
    fake.land();
    assert.ok(fake.issues.length <= 1, 'a second issue');
    if (fake.issues.length === 1 && (await left(world)) === 0) break;
    assert.ok(minute < filedWithin(cell) + MINUTES, 'not continued in time');
  }
  const texts = fake.issues[0]?.comments.map(({ text }) => text) ?? [];
  const parts = texts.map((text) => /part (\d) of plan (\d+)/.exec(text)?.slice(1) ?? []);
  assert.deepEqual(
    parts.map(([part]) => part),
    ['1', '2', '3'],
    'each comment once, in its order',
  );
  assert.equal(new Set(parts.map(([, plan]) => plan)).size, 1, 'the comments of one text');
  const text = fake.issues[0]?.text ?? '';
  assert.equal(/plan (\d+)/.exec(text)?.[1], parts[0]?.[1], 'the comments of the text that the issue has');
  const rows = await world.rows();
  assert.equal(rows.length, CVES.length);
  assert.ok(
    rows.every(({ lastError }) => lastError === null),
    'no error is left',
  );
  await world.scan(1, []);
  for (let sweep = 0; sweep < 2; sweep += 1) {
    await alive(world, () => world.sweep());
    world.clock.advance(10 * MINUTE);
    await alive(world, () => world.file());
  }
  assert.equal(fake.issues[0]?.comments.length, 4, 'closed with one comment');
  const markers = fake.issues[0]?.comments.map(({ marker }) => marker) ?? [];
  assert.equal(new Set(markers).size, 4, 'a marker of its own in each');
  assert.equal(fake.issues[0]?.state, 'closed');
  return ran;
}

async function left({ store }: World): Promise<number> {
  return (await runText(store.read, 'select id from tracking_continuations', [])).length;
}

/** The cell happens at the first, second or third comment, as `nth` says. */
function doomOf({ step, fault, place }: Cell, nth: number): Doom {
  const call = STEPS[step];
  return {
    ...{ call, place, fault },
    isWrite: call === 'create' || call === 'comment',
    // The note that a comment was posted is the last step: what goes wrong is the post that it confirms.
    breaks: step === 'posted' ? 'comment' : call,
    passed: step === 'plan' || step === 'create' ? 0 : nth,
  };
}
