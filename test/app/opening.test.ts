import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Opening } from '../../src/app/running/opening.ts';

/** Opens three things, one of which is ended first where it answers; says in `ended` what was closed. */
function openThree(opening: Opening, ended: string[]): void {
  opening.adopt('store', (one) => void ended.push(one));
  opening.unlessAnswered(async () => ended.push('dropped'));
  opening.adopt('facts', async (one) => void ended.push(one));
}

test('a start that fails closes what it opened, the last first', async () => {
  const ended: string[] = [];
  const start = async (): Promise<void> => {
    await using opening = new Opening();
    openThree(opening, ended);
    throw new Error('the port is taken');
  };
  await assert.rejects(start(), /the port is taken/);
  assert.deepEqual(ended, ['facts', 'dropped', 'store']);
});

test('one that answers closes nothing until its end, and drops nothing then', async () => {
  const ended: string[] = [];
  const start = async (): Promise<() => Promise<void>> => {
    await using opening = new Opening();
    openThree(opening, ended);
    return opening.answers();
  };
  const close = await start();
  assert.deepEqual(ended, []);
  await close();
  assert.deepEqual(ended, ['facts', 'store']);
});
