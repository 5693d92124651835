import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { openStore } from '../../src/store/engine/open.ts';
import { counted, turns, TORTURE } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { FLAVOURS } from './fake-tracker.ts';
import { CELLS, runCell, type Cell } from './fault-cell.ts';

/** Runs of each cell in the test command, and under `npm run torture`. */
const TIMES = { usual: 3, torture: 200 };
/** PostgreSQL runs a share of the cells: it is the same protocol over other transactions. */
const SHARE = TORTURE ? 4 : 28;

function nameOf({ flavour, step, fault, place }: Cell, run: number): string {
  return `${flavour}, step ${step}, fault ${fault}, dies ${place}, run ${run}`;
}

forEachEngine('fault matrix', (engine) => {
  const opened = engine.migrated().then((url) => openStore({ url }));
  after(async () => (await opened).close());
  const chosen = engine.name === 'sqlite' ? CELLS : CELLS.filter((_, index) => index % SHARE === 0);
  for (const flavour of FLAVOURS) {
    const cells = chosen.filter((cell) => cell.flavour === flavour);
    const times = engine.name === 'sqlite' ? TIMES : { usual: 1, torture: 1 };
    // All cells come once before one of them comes again.
    const { from, until } = turns(cells.length * times.usual, cells.length * times.torture);
    test(`${until - from} runs of ${cells.length} cells of ${flavour}: nothing is doubled, nothing is lost`, async (t) => {
      let died = 0;
      let failed = 0;
      for (let n = from; n < until; n += 1) {
        const [cell, run] = [cells[n % cells.length] as Cell, Math.floor(n / cells.length)];
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
      counted(t, { [`runs of the matrix on ${engine.name}`]: until - from });
    });
  }
});

suite('the matrix', () => {
  test('has 840 cells', () => {
    assert.equal(CELLS.length, 840);
  });
});
