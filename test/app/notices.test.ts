import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, IpoError } from '../../src/base/index.ts';
import { noticeJobs, tellingBroken, type Feed } from '../../src/app/notify/notice-jobs.ts';
import { EVENT_PAYLOADS, type Happened } from '../../src/notify/index.ts';
import { firstTime } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';

const AT = Date.UTC(2026, 10, 24, 6);
const never = async (): Promise<void> => undefined;

/** The job that looks for catalogues that are out of date, and what it tells. */
function looking(feeds: Readonly<Record<string, Feed>>, wanted = AT) {
  const told: Happened[] = [];
  const clock = { now: AT };
  const jobs = noticeJobs({
    notifications: {
      ...{ send: never, prune: never, tellTriageRanOut: never },
      tell: async (happened) => {
        EVENT_PAYLOADS[happened.event].schema.strict().parse(happened.payload);
        told.push(happened);
        return true;
      },
    },
    retention: { now: async () => clock.now },
    feeds: async () => feeds,
    wantedSince: async () => wanted,
  });
  const job = jobs.find(({ name }) => name === 'stale-catalogues');
  assert.ok(job);
  return { told, clock, run: () => job.run(new AbortController().signal) };
}

test('a catalogue is told to be out of date once it was not fetched for 24 hours', async () => {
  const kev: Feed = { fetchedAt: AT - 3 * DAY_MS, checkedAt: AT, lastError: 'the server answers 503' };
  const look = looking({ kev, 'vulnerability database': { ...kev, checkedAt: AT + DAY_MS } });
  look.clock.now = AT + DAY_MS;
  await look.run();
  assert.equal(look.told.length, 0);
  look.clock.now += 1;
  await look.run();
  await look.run();
  assert.deepEqual(new Set(look.told.map(({ throttleKey }) => throttleKey)).size, 1, 'one outage');
  assert.deepEqual(look.told.at(0)?.payload, {
    ...{ title: 'kev', as_of: '2026-11-24T06:00:00Z', fault: 'the server answers 503' },
  });
});

test('one that was never fetched is told 24 hours after it was first wanted', async () => {
  const look = looking({ kev: { fetchedAt: null, checkedAt: null, lastError: null } });
  look.clock.now = AT + DAY_MS;
  await look.run();
  assert.equal(look.told.length, 0);
  look.clock.now += 1;
  await look.run();
  assert.deepEqual(look.told.at(0)?.payload, { title: 'kev', as_of: null, fault: 'it was not fetched' });
});

test('a ledger that does not match its proof is told, and the job that saw it fails all the same', async () => {
  const told: Happened[] = [];
  const tell = async (happened: Happened): Promise<boolean> => {
    EVENT_PAYLOADS[happened.event].schema.strict().parse(happened.payload);
    return told.push(happened) > 0;
  };
  const fail = (error: Error) =>
    tellingBroken({ tell }, async () => {
      throw error;
    });
  await assert.rejects(fail(new IpoError('integrity', 'row 7 was changed')), /row 7/);
  assert.deepEqual(
    told.map(({ event, payload }) => [event, payload]),
    [['ledger_broken', { fault: 'row 7 was changed' }]],
  );
  await assert.rejects(fail(new IpoError('unavailable', 'no database')));
  assert.equal(told.length, 1);
  await tellingBroken({ tell }, never);
});

forEachEngine('the first time', (engine) => {
  test('of anything is kept for all replicas', async (t) => {
    const store = await engine.open(t);
    assert.deepEqual(await Promise.all([firstTime(store, 'kev', AT), firstTime(store, 'kev', AT)]), [AT, AT]);
    assert.equal(await firstTime(store, 'kev', AT + 1), AT);
    assert.equal(await firstTime(store, 'other', AT + 1), AT + 1);
  });
});
