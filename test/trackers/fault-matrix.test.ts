import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { forEachEngine } from '../store/engines.ts';
import { FLAVOURS } from './fake-tracker.ts';
import { CELLS, runCell, type Cell } from './fault-cell.ts';

/** Each cell three times in the test command, 200 times under `npm run torture`. */
const TIMES = process.env['IPO_TORTURE'] === '1' ? 200 : 3;
/** PostgreSQL runs a share of the cells: it is the same protocol over other transactions. */
const SHARE = process.env['IPO_TORTURE'] === '1' ? 4 : 28;

function nameOf({ flavour, step, fault, place }: Cell, run: number): string {
  return `${flavour}, step ${step}, fault ${fault}, dies ${place}, run ${run}`;
}

forEachEngine('fault matrix', (engine) => {
  const opened = engine.migrated().then((url) => openStore({ url }));
  after(async () => (await opened).close());
  const chosen = engine.name === 'sqlite' ? CELLS : CELLS.filter((_, index) => index % SHARE === 0);
  for (const flavour of FLAVOURS) {
    const cells = chosen.filter((cell) => cell.flavour === flavour);
    const times = engine.name === 'sqlite' ? TIMES : 1;
    test(`${cells.length} cells of ${flavour}, ${times} times each: nothing is doubled, nothing is lost`, async () => {
      let died = 0;
      let failed = 0;
      for (const cell of cells)
        for (let run = 0; run < times; run += 1) {
          try {
            const ran = await runCell(await opened, cell, run);
            died += Number(ran.died);
            failed += Number(ran.failed);
          } catch (error) {
            throw new Error(nameOf(cell, run), { cause: error });
          }
        }
      assert.equal(died, cells.length * times, 'the process died in every run');
      assert.equal(failed, cells.length * times, 'a call went wrong in every run');
    });
  }
});

suite('the matrix', () => {
  test('has 840 cells', () => {
    assert.equal(CELLS.length, 840);
  });
});
