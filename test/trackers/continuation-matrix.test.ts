import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { counted, TORTURE, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { CELLS, runCell, type Cell } from './continuation-cell.ts';
import { FLAVOURS } from './fake-tracker.ts';

/** Each cell nine times under `npm run torture`: three outcomes of an unknown call at each of three comments. */
const TIMES = 9;
/** The test command runs a share of the cells, another one of each flavour; PostgreSQL less, since it is the same protocol there. */
const SHARE = { sqlite: TORTURE ? 1 : 4, postgres: TORTURE ? 4 : 40 };

function nameOf({ flavour, step, fault, place }: Cell, run: number): string {
  return `${flavour}, step ${step}, fault ${fault}, dies ${place}, run ${run}`;
}

forEachEngine('continuation matrix', (engine) => {
  const opened = engine.migrated().then((url) => openStore({ url }));
  after(async () => (await opened).close());
  const chosen = CELLS.filter((_, index) => index % SHARE[engine.name] === 0);
  for (const flavour of FLAVOURS) {
    const cells = chosen.filter((cell) => cell.flavour === flavour);
    const { from, until } = turns(cells.length, cells.length * TIMES);
    test(`${until - from} runs of ${cells.length} cells of ${flavour}: no comment that continues a summary is doubled or lost`, async (t) => {
      let died = 0;
      let failed = 0;
      for (let n = from; n < until; n += 1) {
        const cell = cells[n % cells.length] as Cell;
        // In the test command the cells take turns with what the torture does to each.
        const run = TORTURE ? Math.floor(n / cells.length) : n;
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
