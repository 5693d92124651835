import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { POINTS } from './kill-points.ts';
import { judgeLedger, makeProgram, scratch, startChild, stopChild, type Child } from './kill-process.ts';

/** Processes that use one database at once, each with a spool of its own. */
const LANES = 2;
/** A child that never passes its point is killed after it said so many lines. */
const ENOUGH = 12;
/**
 * A checkpoint may be put off where every session is in use for 5 s, which PostgreSQL alone has. On a machine with too much to do a
 * process stands still in its transaction, also one that was killed and whose files are not closed yet; the others then wait for the
 * head of the ledger, and each of them puts off a checkpoint every 5 s. In 5,000 kills on such a machine it came 35 times. More than
 * one in fifty would not be the machine: a session that nobody gives back.
 */
const MOST_UNSIGNED = (kills: number): number => Math.ceil(kills / 50);

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
    const { from, until } = turns(120, 5000); // 10,000 of both engines under `npm run torture`
    const kills = until - from;
    const numbers = Array.from({ length: kills + LANES }, (_, i) => from + i + 1);
    const beyond = until + LANES + 1; // it appends nothing
    let state = from * 2 + (engine.name === 'sqlite' ? 1 : 2);
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
      // That one may have passed its point as well; what waits in the spool is put back by one that has none.
      const last = startChild({ url, spool, number: beyond });
      await stopChild(last);
      assert.equal(last.process.exitCode, 0, 'the last one came to its end');
      take(last);
    };
    await Promise.all(Array.from({ length: LANES }, (_, i) => lane(scratch(`${engine.name}-${i}`))));

    // The rows first: whatever was said besides, none of them may be lost.
    const { answered, rows, checkpoints } = await judgeLedger(url, said);
    counted(t, {
      [`kills on ${engine.name}`]: killed,
      [`reviews answered on ${engine.name}`]: answered,
      [`rows on ${engine.name}`]: rows,
      [`checkpoints on ${engine.name}`]: checkpoints,
      [`checkpoints put off on ${engine.name}`]: said.filter((line) => line.startsWith('unsigned ')).length,
    });
    assert.ok(killed >= kills, `${killed} were killed`);
    assert.ok(answered > kills, `${answered} reviews were answered`);
    assert.ok(checkpoints > kills / 20, `${checkpoints} checkpoints were signed`);
    const answers = (word: string): string[] => said.filter((line) => line.startsWith(`${word} `));
    assert.deepEqual(answers('fault'), []);
    const unsigned = answers('unsigned');
    assert.ok(unsigned.length <= MOST_UNSIGNED(kills), `not signed: ${unsigned.join('\n')}`);
  });
});
