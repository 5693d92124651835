import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { runs } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { POINTS } from './kill-points.ts';
import { judgeLedger, makeProgram, scratch, startChild, stopChild, type Child } from './kill-process.ts';

/** Processes that use one database at once, each with a spool of its own. */
const LANES = 2;
/** A child that never passes its point is killed after it said so many lines. */
const ENOUGH = 12;

before(makeProgram);

/** Kills a child when it has said so many lines, and some milliseconds more, unless it was quicker itself. */
async function kill(child: Child, after: number, more: number): Promise<void> {
  await child.ready;
  child.process.stdin?.write('go\n');
  const end = (): void => void setTimeout(() => child.process.kill('SIGKILL'), more);
  child.heard(() => {
    if (child.lines.length === after) end();
  });
  if (after === 0) end();
  await child.ended;
}

forEachEngine('kill -9', (engine) => {
  test('takes no row that was answered, makes none twice, leaves no gap, and the tree verifies', async (t) => {
    const url = await engine.migrated();
    const kills = Math.min(runs(250), 5000); // 10,000 of both engines under `npm run torture`
    const numbers = Array.from({ length: kills + LANES }, (_, i) => i + 1);
    let state = engine.name === 'sqlite' ? 1 : 2;
    const draw = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 4_294_967_296) * below);
    };
    const said: string[] = [];
    let killed = 0;
    const lane = async (spool: string): Promise<void> => {
      const prepare = (): { child: Child; after: number; more: number } => {
        const number = numbers.shift() ?? Number.MAX_SAFE_INTEGER;
        const point = number % 3 === 0 ? -1 : number % POINTS.length;
        // Points of a checkpoint are passed seldom, those of a transaction often.
        const passing = 1 + draw(point >= POINTS.indexOf('before the tiles') ? 2 : 5);
        const child = startChild({ url, spool, number, point, passing });
        return { child, after: point === -1 ? draw(ENOUGH) : ENOUGH, more: draw(6) };
      };
      const take = ({ lines, process }: Child): void => {
        for (const line of lines) said.push(line);
        if (process.signalCode === 'SIGKILL') killed += 1;
      };
      let next = prepare();
      while (numbers.length > 0) {
        const { child, after, more } = next;
        next = prepare(); // starts while the other one is killed
        await kill(child, after, more);
        take(child);
      }
      await stopChild(next.child);
      take(next.child);
    };
    await Promise.all(Array.from({ length: LANES }, (_, i) => lane(scratch(`${engine.name}-${i}`))));

    assert.deepEqual(
      said.filter((line) => line.startsWith('fault')),
      [],
    );
    assert.ok(killed >= kills, `${killed} were killed`);
    const { answered, rows, checkpoints } = await judgeLedger(url, said);
    assert.ok(answered > kills, `${answered} reviews were answered`);
    assert.ok(checkpoints > kills / 10, `${checkpoints} checkpoints were signed`);
    t.diagnostic(`${killed} killed; ${answered} reviews answered, ${rows} rows, ${checkpoints} checkpoints`);
  });
});
