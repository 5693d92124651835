import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnsweringRecord } from '../../src/history/index.ts';

const MINUTE = 60_000;

function setUp() {
  const state = { now: 0, answers: true, away: false };
  const kept: number[][] = [];
  const record = new AnsweringRecord({
    cluster: 'eu-1',
    answers: () => state.answers,
    clock: { now: () => state.now },
    minutes: {
      keep: async (cluster, minutes) => {
        if (state.away) throw new Error('the database is away');
        assert.equal(cluster, 'eu-1');
        kept.push([...minutes]);
      },
    },
  });
  const look = (minute: number, answers = true): void => {
    state.now = minute * MINUTE;
    state.answers = answers;
    record.look();
  };
  return { record, state, kept, look };
}

test('a minute counts where reviews were answered at one look in it, and is handed over once', async () => {
  const { record, kept, look } = setUp();
  look(1);
  look(1.25);
  look(1.5, false);
  await record.flush();
  look(1.75);
  await record.flush();
  look(2, false);
  look(3);
  await record.flush();
  await record.flush();
  assert.deepEqual(kept, [[1], [3]]);
});

test('minutes in which the database was away are handed over when it is back', async () => {
  const { record, state, kept, look } = setUp();
  state.away = true;
  for (const minute of [5, 6, 7]) {
    look(minute);
    await assert.rejects(record.flush(), /away/);
  }
  state.away = false;
  await record.flush();
  assert.deepEqual(kept, [[5, 6, 7]]);
});

test('a minute that passes while the database answers is not lost', async () => {
  const { record, state, kept, look } = setUp();
  look(1);
  const slow = record.flush();
  look(2);
  await slow;
  assert.deepEqual(kept, [[1]]);
  state.answers = false;
  await record.flush();
  assert.deepEqual(kept, [[1], [2]]);
});

test('a clock that was set back marks the minutes that it shows, and none in between', async () => {
  const { record, kept, look } = setUp();
  look(100);
  await record.flush();
  look(40);
  await record.flush();
  assert.deepEqual(kept, [[100], [40]]);
});

test('of more than a week of minutes the oldest are given up', async () => {
  const { record, state, kept, look } = setUp();
  state.away = true;
  for (let minute = 0; minute < 10_090; minute += 1) look(minute);
  state.away = false;
  await record.flush();
  assert.equal(kept[0]?.length, 10_080);
  assert.equal(kept[0]?.[0], 10);
});
