import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { POINTS } from './kill-points.ts';
import { judgeLedger, makeProgram, scratch, startChild, stopChild, type Child } from './kill-process.ts';

/** Points that an end passes while it puts the spool back, and a kill by time. */
const AIMS = [
  'before the commit',
  'after the commit',
  'before what was put back leaves the spool',
  'after what was put back left the spool',
].map((point) => POINTS.findIndex((known) => known === point));

/** Lets a child say some lines, ends it in order, and kills it while it ends, unless it kills itself at its point first. */
async function killEnding(child: Child, more: number): Promise<void> {
  await child.ready;
  child.process.stdin?.write('fill\n');
  await new Promise<void>((resolve) => {
    child.heard(() => child.lines.includes('ending') && resolve());
    void child.ended.then(resolve);
  });
  if (more >= 0) setTimeout(() => child.process.kill('SIGKILL'), more);
  await child.ended;
}

/** Each life that is killed leaves reviews in the spool; before it is full, one comes to its end. */
const LIVES = 8;
/** Above every number of a life that is killed. */
const LAST = 100_000;

before(makeProgram);

forEachEngine('kill -9 while an end puts the spool back', (engine) => {
  test('takes no row that was answered and makes none twice', async (t) => {
    const url = await engine.migrated();
    const spool = scratch(`ending-${engine.name}`);
    const said: string[] = [];
    let killed = 0;
    const { from, until } = turns(3, 120);
    const kills = until - from;
    for (let number = from + 1; number <= until; number += 1) {
      const point = AIMS[(number + 1) % (AIMS.length + 1)] ?? -1;
      const child = startChild({ url, spool, number, point, passing: 1 + (number % 3) });
      await killEnding(child, point === -1 ? number % 7 : -1);
      said.push(...child.lines);
      if (child.process.signalCode === 'SIGKILL') killed += 1;
      if (number % LIVES !== 0 && number !== until) continue;
      const last = startChild({ url, spool, number: LAST + number });
      await stopChild(last);
      said.push(...last.lines);
    }
    // The rows first: whatever was said besides, none of them may be lost.
    const { answered, rows } = await judgeLedger(url, said);
    assert.deepEqual(
      said.filter((line) => line.startsWith('fault')),
      [],
    );
    assert.ok(killed > kills / 2, `${killed} of ${kills} were killed`);
    assert.ok(answered >= kills * 200, `${answered} reviews were answered`);
    counted(t, {
      [`kills at the end on ${engine.name}`]: killed,
      [`reviews answered on ${engine.name}`]: answered,
      [`rows on ${engine.name}`]: rows,
    });
  });
});
