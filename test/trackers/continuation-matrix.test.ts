import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { openStore } from '../../src/store/engine/open.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { CELLS, runCell, type Cell } from './continuation-cell.ts';
import { FLAVOURS } from './fake-tracker.ts';

/** Runs of the cells of each flavour. Nine of a cell are three outcomes of an unknown call at each of three comments. */
const RUNS = { sqlite: { usual: 20, torture: 150 * 9 * 10 }, postgres: { usual: 2, torture: 150 * 9 } };
/** Cells are taken so far apart that few of them hold every step, fault and place. */
const STRIDE = 37;

function nameOf({ flavour, step, fault, place }: Cell, run: number): string {
  return `${flavour}, step ${step}, fault ${fault}, dies ${place}, run ${run}`;
}

forEachEngine('continuation matrix', (engine) => {
  const opened = engine.migrated().then((url) => openStore({ url }));
  after(async () => (await opened).close());
  for (const [at, flavour] of FLAVOURS.entries()) {
    const cells = CELLS.filter((cell) => cell.flavour === flavour);
    const { usual, torture } = RUNS[engine.name];
    const { from, until } = turns(usual, torture);
    test(`${until - from} runs of ${cells.length} cells of ${flavour}: no comment that continues a summary is doubled or lost`, async (t) => {
      let died = 0;
      let failed = 0;
      for (let n = from; n < until; n += 1) {
        const cell = cells[((n + at * usual) * STRIDE) % cells.length] as Cell;
        const run = n + Math.floor(n / cells.length);
        try {
          const ran = await runCell(await opened, cell, run);
          died += Number(ran.died);
          failed += Number(ran.failed);
        } catch (error) {
          throw new Error(nameOf(cell, run), { cause: error });
        }
      }
      assert.equal(died, until - from, 'the process died in every run');
      assert.equal(failed, until - from, 'a call went wrong in every run');
      counted(t, { [`runs of continuations on ${engine.name}`]: until - from });
    });
  }
});

suite('the matrix of continuations', () => {
  test('has 600 cells', () => {
    assert.equal(CELLS.length, 600);
  });
});
