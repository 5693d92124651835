import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openStore } from '../../src/store/engine/open.ts';
import { counted, TORTURE, turns } from '../runs.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { FLAVOURS } from './fake-tracker.ts';
import { CELLS, type Cell } from './fault-cell.ts';
import { makeProgram, type Worker } from './real-process-child.ts';
import { runRealCell } from './real-process-cell.ts';
import { Lane, openScene, run, toAct, undisturbed } from './real-process-lane.ts';
import { paused, PAUSES, together, type Pair } from './real-process-pair.ts';

/** All cells five times under `npm run torture`; a share of them in the test command, PostgreSQL less, as the protocol is the same. */
const KILLS = { sqlite: turns(28, CELLS.length * 5), postgres: turns(6, CELLS.length) };
const FIRST = { sqlite: 0, postgres: TORTURE ? 0 : 28 };
/** Cells are taken so far apart that 28 hold every flavour, step, fault and place, and nearly every two of them together. */
const STRIDE = 509;
const LANES = 2;

before(makeProgram);

function nameOf({ flavour, step, fault, place }: Cell, turn: number): string {
  return `${flavour}, step ${step}, fault ${fault}, dies ${place}, turn ${turn}`;
}

async function laneOf(engine: TestEngine): Promise<Lane> {
  const url = await engine.migrated();
  return new Lane(url, await openStore({ url, poolSize: 4 }));
}

forEachEngine('real processes', (engine) => {
  test('one that nothing happens to files on every tracker, comments once and closes', async () => {
    const lane = await laneOf(engine);
    const worker = await lane.take(0);
    for (const flavour of FLAVOURS) {
      const scene = await openScene(lane, flavour);
      const { world, fake } = scene;
      await lane.lead(worker, world.clock.now());
      await world.scan(1, ['CVE-1']);
      await run(scene, worker, toAct(scene, 'file'), undisturbed);
      await world.scan(1, []);
      await run(scene, worker, toAct(scene, 'sweep'), undisturbed);
      const [issue, ...more] = fake.state.issues;
      assert.deepEqual([issue?.state, issue?.comments.filter(({ system }) => !system).length], ['closed', 1]);
      assert.deepEqual([(await world.row()).reason, more.length, fake.violations], ['fixed', 0, []]);
      await fake.close();
    }
    await worker.stop();
    await lane.close();
  });

  const { from, until } = KILLS[engine.name];
  const kills = until - from;
  test(`${kills} are killed with SIGKILL at a step of filing or closing, and others go on: nothing is doubled, nothing is lost`, async (t) => {
    const jobs = Array.from({ length: kills }, (_, nth) => {
      const n = FIRST[engine.name] + from + nth;
      // A cell that comes again takes another turn.
      return { cell: CELLS[(n * STRIDE) % CELLS.length] as Cell, turn: Math.floor(n / CELLS.length) + n };
    });
    let killed = 0;
    const work = async (): Promise<void> => {
      const lane = await laneOf(engine);
      let worker: Worker | null = null;
      try {
        worker = await lane.take(0);
        for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
          const { cell, turn } = job;
          try {
            const ended = await runRealCell(lane, worker, cell, turn);
            worker = ended.worker;
            assert.deepEqual(
              [ended.died, ended.failed],
              [true, true],
              'it was killed, and a call went wrong',
            );
            killed += 1;
          } catch (error) {
            throw new Error(nameOf(cell, turn), { cause: error });
          }
        }
      } finally {
        await worker?.kill();
        await lane.close();
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, work));
    const failed = lanes.find((lane) => lane.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    assert.equal(killed, kills);
    counted(t, { [`processes killed on ${engine.name}`]: killed });
  });

  async function withPair(act: (lane: Lane, pair: Pair) => Promise<void>): Promise<void> {
    const lane = await laneOf(engine);
    const pair = [await lane.take(0), await lane.take(0)] as const;
    try {
      await act(lane, pair);
    } finally {
      await Promise.all(pair.map((worker) => worker.kill()));
      await lane.close();
    }
  }

  test('two at once, each sure that it leads, over one database: every finding is filed and closed once', async (t) => {
    const usual = engine.name === 'sqlite' ? (['gitlab'] as const) : (['github'] as const);
    const { from, until } = turns(usual.length, FLAVOURS.length);
    await withPair(async (lane, pair) => {
      for (const flavour of (TORTURE ? FLAVOURS : usual).slice(from, until))
        await together(lane, pair, flavour);
    });
    counted(t, { [`pairs at once on ${engine.name}`]: until - from });
  });

  test('one that stands still anywhere and goes on after another began to lead doubles nothing', async (t) => {
    // Five and the six kinds of pauses have no factor in common.
    const isOurs = (n: number): boolean => (engine.name === 'sqlite' ? n % 5 < 2 : n % 5 === 2);
    const all = (TORTURE ? PAUSES : PAUSES.filter((_, n) => isOurs(n))).flatMap((pause, n) =>
      (TORTURE ? FLAVOURS : FLAVOURS.slice(n % 4, (n % 4) + 1)).map((flavour) => ({ pause, flavour })),
    );
    const { from, until } = turns(all.length, all.length);
    await withPair(async (lane, pair) => {
      for (const { pause, flavour } of all.slice(from, until)) {
        try {
          await paused(lane, pair, flavour, pause);
        } catch (error) {
          throw new Error(`${flavour}, ${pause.when} ${pause.call}, ${pause.ms} ms`, { cause: error });
        }
      }
    });
    counted(t, { [`pauses on ${engine.name}`]: until - from });
  });
});
