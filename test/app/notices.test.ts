import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { DIRECT } from '../../src/adapters/transport/index.ts';
import { backUp } from '../../src/app/backup/schedule.ts';
import { openStandaloneLeader } from '../../src/app/leadership/standalone-leader.ts';
import { wantedFeeds } from '../../src/app/notify/feeds.ts';
import { noticeJobs, tellingBroken, type Feed } from '../../src/app/notify/notice-jobs.ts';
import { openNotifications } from '../../src/app/notify/notifications.ts';
import { openLicence } from '../../src/app/service/licence.ts';
import { DAY_MS, formatTime, IpoError } from '../../src/base/index.ts';
import { issueCertificate } from '../../src/licence/index.ts';
import { EVENT_PAYLOADS, type Happened } from '../../src/notify/index.ts';
import { auditLog, backupHistory, firstTime, kevStore } from '../../src/store/index.ts';
import { keptLog } from '../api/service.ts';
import { grow, makeSigner, treeOf } from '../ledger/grown.ts';
import { lineOf, startSide } from '../notify/others.ts';
import { checkPayloads, subscribe } from '../notify/subscriber.ts';
import { settingsOf } from '../notify/world.ts';
import { forEachEngine, sqlite } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';

const AT = Date.UTC(2026, 10, 24, 6);
const NEVER = new AbortController().signal;
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
  return { told, clock, run: () => job.run(NEVER) };
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

/** The notifications of a service over a channel that is told everything; `settle` sends, and gives the titles of the new messages. */
async function opened(t: TestContext) {
  const store = await sqlite.open(t);
  const side = await startSide(t);
  await subscribe(store, 'desk', undefined, settingsOf('webhook', side));
  const time = { now: AT };
  const clock = { now: (): number => time.now };
  const log = keptLog();
  const notifications = await openNotifications({
    ...{ store, clock, log, line: lineOf(clock.now), count: { add: () => {} } },
    leader: await openStandaloneLeader(store, time.now, log),
  });
  t.after(() => notifications.stop());
  const settle = async (): Promise<readonly unknown[]> => {
    await checkPayloads(store);
    time.now += 61_000;
    const before = side.taken.length;
    await notifications.send(NEVER);
    while (
      (await rowsOf(store, "select 1 from outbox union all select 1 from deliveries where state = 'waiting'"))
        .length > 0
    )
      await new Promise((next) => setTimeout(next, 2));
    return side.taken.slice(before).map(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { title: string } };
      return [type, data.title];
    });
  };
  return { store, time, clock, log, notifications, settle };
}

test('the end of a licence is told 30, 7 and 1 days before, once each, by the job of the licence', async (t) => {
  const { store, time, clock, log, notifications, settle } = await opened(t);
  const signer = makeSigner();
  const { routes, jobs } = await openLicence({
    ...{ store, clock, log, cluster: null, trackers: { notifications } },
    parts: { audit: auditLog(store, clock), together: (act) => act() },
    settings: { clusterName: 'eu', licence: { publicKeys: [signer.vkey], url: undefined, key: undefined } },
    way: { outbound: DIRECT },
  });
  const certificate = {
    ...{ id: 'c', customer: 'Acme', key_id: 'k', cluster_id: (await routes.licences.view()).clusterId },
    ...{ issued_at: formatTime(time.now), not_after: formatTime(time.now + 40 * DAY_MS) },
    ceiling: { nodes: 1, image_names: null, clusters: 0 },
  };
  await routes.licences.activate(issueCertificate(certificate, signer), null, 'test');
  const told: unknown[] = [];
  for (let day = 0; day < 42; day += 1, time.now += DAY_MS) {
    for (const job of jobs) await job.run(NEVER);
    told.push(...(await settle()));
  }
  assert.deepEqual(told, [
    ['ipo.licence_expiring', 'The licence ends in 30 days'],
    ['ipo.licence_expiring', 'The licence ends in 7 days'],
    ['ipo.licence_expiring', 'The licence ends in 1 day'],
  ]);
});

test('a ledger that was changed, a backup that fails and a catalogue that is out of date are told by their jobs', async (t) => {
  const { store, time, clock, log, notifications, settle } = await opened(t);
  await grow(store, 0, 20);
  const tree = treeOf(store, makeSigner());
  await tree.checkpoint();
  await grow(store, 20, 30);
  await store.write((transaction) => transaction.deleteFrom('ledger_rows').where('id', '=', 25).execute());
  const broken = () => tellingBroken(notifications, async () => void (await tree.checkpoint()));
  await assert.rejects(broken(), { code: 'integrity' });
  await assert.rejects(broken(), { code: 'integrity' });
  assert.deepEqual(await settle(), [['ipo.ledger_broken', 'The admission ledger does not match its proof']]);

  const history = backupHistory(store);
  const backup = {
    ...{
      schedule: DAY_MS,
      directory: '/dev/null/backups',
      registry: null,
      keep: 1,
      database: '',
      program: 'test',
    },
    ...{ history, clock, log },
    make: () => Promise.reject(new Error('is not asked')),
  };
  await assert.rejects(backUp(backup, NEVER), { code: 'ENOTDIR' });
  assert.deepEqual(await settle(), [['ipo.backup_failed', 'A backup of the service failed']]);
  // One whose process was killed is told by the next; one that the service itself gave up is not.
  await history.begin(clock.now() - 1, '/backups/killed.ipobackup');
  await history.giveUp(clock.now(), clock.now());
  const [killed] = (await history.list({ limit: 1, offset: 0 })).items;
  assert.equal(killed?.error, 'the service ended before the backup was written');
  assert.deepEqual(await settle(), [['ipo.backup_failed', 'A backup of the service failed']]);
  await history.giveUp(clock.now(), clock.now());
  await assert.rejects(backUp(backup, AbortSignal.abort()), { code: 'ENOTDIR' });
  assert.deepEqual(await settle(), []);

  const kev = kevStore(store);
  await kev.checked(time.now - DAY_MS - 1);
  await kev.failed('the server answers 503');
  const off = { off: true, state: () => Promise.reject(new Error('is not asked')) };
  const jobs = noticeJobs({
    ...{ notifications, retention: { now: async () => time.now }, wantedSince: async () => time.now },
    feeds: wantedFeeds(store, { kev: { off: false }, endOfLife: off }, off),
  });
  for (let turn = 0; turn < 2; turn += 1)
    await jobs.find(({ name }) => name === 'stale-catalogues')?.run(NEVER);
  assert.deepEqual(await settle(), [
    ['ipo.catalogue_stale', 'The catalogue of known exploited vulnerabilities is out of date'],
  ]);
});

forEachEngine('the first time', (engine) => {
  test('of anything is kept for all replicas', async (t) => {
    const store = await engine.open(t);
    assert.deepEqual(await Promise.all([firstTime(store, 'kev', AT), firstTime(store, 'kev', AT)]), [AT, AT]);
    assert.equal(await firstTime(store, 'kev', AT + 1), AT);
    assert.equal(await firstTime(store, 'other', AT + 1), AT + 1);
  });
});
