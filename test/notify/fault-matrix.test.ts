import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryStore, Happened } from '../../src/notify/index.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { INBOX_FAULTS, type InboxFault } from '../../fakes/index.ts';
import { found, KINDS, openDesk, type Desk, type Kind } from './world.ts';

/** STEPS are those of a message: what happened is written, claimed, begun and sent, answered, and marked. */
const STEPS = ['write', 'claim', 'send', 'answer', 'mark'] as const;
/** PLACES are where a process ends: before a step, after what it does and before anybody hears of it, and not at all. */
const PLACES = ['before', 'after', 'not at all'] as const;

type Step = (typeof STEPS)[number];
type Place = (typeof PLACES)[number];

interface Cell {
  readonly kind: Kind;
  readonly step: Step;
  readonly fault: InboxFault;
  readonly place: Place;
}

const CELLS: readonly Cell[] = KINDS.flatMap((kind) =>
  STEPS.flatMap((step) =>
    INBOX_FAULTS.flatMap((fault) => PLACES.map((place) => ({ kind, step, fault, place }))),
  ),
);

/** A process that ends: nothing of it is heard any more. */
class Ends extends Error {}

/** A store whose process ends once, at a step. */
function ending(deliveries: DeliveryStore, { step, place }: Cell): DeliveryStore {
  let armed = place !== 'not at all';
  const cut =
    <A extends unknown[], R>(at: Step, act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const mine = armed && step === at;
      if (mine) armed = false;
      if (mine && place === 'before') throw new Ends(`before ${at}`);
      const done = await act(...args);
      if (mine) throw new Ends(`after ${at}`);
      return done;
    };
  return {
    ...deliveries,
    claim: cut('claim', deliveries.claim),
    begin: cut('send', deliveries.begin),
    end: cut('mark', cut('answer', deliveries.end)),
  };
}

async function write(desk: Desk, happened: Happened, { step, place }: Cell): Promise<void> {
  // The act and what is told of it commit together; one that did not commit is done again by who wanted it.
  if (step === 'write' && place === 'before')
    await assert.rejects(
      desk.store.write(async () => {
        await desk.happen([happened]);
        throw new Ends('before write');
      }),
      Ends,
    );
  await desk.happen([happened]);
}

/** Runs one cell; gives how often the message went. */
async function runCell(desk: Desk, cell: Cell, turn: number): Promise<void> {
  const { kind, fault } = cell;
  const cve = `CVE-2026-${turn}`;
  desk.side.taken.length = 0;
  await write(desk, found(cve), cell);
  desk.side.fault = fault;
  const first = desk.sender({ store: ending(desk.deliveries, cell) });
  await desk.run(first);
  desk.side.fault = null;
  desk.now += 3 * 60 * 60_000;
  await desk.settle(3 * 60 * 60_000, 8);
  const name = Object.values(cell).join(' / ');
  const { taken } = desk.side;
  assert.ok(taken.length > 0, `lost: ${name}`);
  assert.equal(new Set(taken.map(({ id }) => id)).size, 1, `another id: ${name}`);
  assert.ok(
    taken.every(({ body }) => body.includes(cve)),
    `another message: ${name}`,
  );
  const rows = await rowsOf(desk.store, `select state, message from deliveries where channel_id = '${kind}'`);
  assert.deepEqual(
    rows.map(({ state, message }) => [state, message]),
    [['sent', taken[0]?.id]],
    name,
  );
  // Whatever was taken and could be written down does not go again.
  const settled = taken.length;
  for (let n = 0; n < 2; n += 1, desk.now += 25 * 60 * 60_000) await desk.run();
  assert.equal(taken.length, settled, `sent again after it was recorded: ${name}`);
  await desk.store.write(async (transaction) => {
    await transaction.deleteFrom('deliveries').execute();
    await transaction.deleteFrom('delivery_threads').execute();
  });
  desk.now += 3 * 60 * 60_000;
}

forEachEngine('the fault matrix of notifications', (engine) => {
  for (const kind of KINDS)
    test(`${kind}: nothing is lost, nothing goes again once it was recorded, a repeat has the same id`, async (t) => {
      const desk = await openDesk(t, await engine.open(t));
      await desk.channel(kind);
      const own = CELLS.filter((cell) => cell.kind === kind);
      // SQLite has all of them in the test command, PostgreSQL one in five; each 100 times under torture.
      const step = engine.name === 'sqlite' ? 1 : 5;
      const { from, until } = turns(own.length, own.length * 100);
      let cells = 0;
      for (let turn = from; turn < until; turn += step) {
        const cell = own[turn % own.length];
        assert.ok(cell);
        await runCell(desk, cell, turn);
        cells += 1;
      }
      counted(t, { cells });
    });
});
