import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeringJobs, retentionJob } from '../../src/app/ledger/history.ts';
import { answeredMinutes, historyReader, openStore } from '../../src/store/index.ts';
import { scratchDirectory, startRunning } from './running.ts';

const DAY = 86_400_000;

test('a service says from its first start on that it keeps the history', async (t) => {
  const at = Date.UTC(2026, 10, 1);
  const { service } = await startRunning(t, { clock: { now: () => at } });
  assert.deepEqual(await historyReader(service.store).began(), [
    { record: 'catalogue', cluster: '', at },
    { record: 'findings', cluster: '', at },
    { record: 'policies', cluster: '', at },
    { record: 'scans', cluster: '', at },
  ]);
});

test('the jobs keep the minutes in which reviews were answered, and take away what is older than the setting says', async (t) => {
  const store = await openStore({ url: `sqlite:${scratchDirectory(t)}/ipo.db` });
  t.after(() => store.close());
  const state = { now: 500 * DAY, answers: true };
  const clock = { now: () => state.now };
  const { signal } = new AbortController();
  const [look, keep] = answeringJobs({ store, cluster: 'eu-1', answers: () => state.answers, clock });
  await look?.run(signal);
  state.now += 60_000;
  state.answers = false;
  await look?.run(signal);
  await keep?.run(signal);
  await answeredMinutes(store).keep('eu-1', [90 * 1440]);
  const days = async (): Promise<unknown> =>
    (await historyReader(store).days(0, 1000)).map(({ day, answered }) => [day, answered?.[0]]);
  assert.deepEqual(await days(), [
    [90, 1],
    [500, 1],
  ]);
  assert.deepEqual(retentionJob(store, 0, { now: async () => state.now }), []);
  await retentionJob(store, 400, { now: async () => state.now })[0]?.run(signal);
  assert.deepEqual(await days(), [[500, 1]]);
});
