import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DIRECT } from '../../src/adapters/transport/index.ts';
import { backUp } from '../../src/app/backup/schedule.ts';
import { openStandaloneLeader } from '../../src/app/leadership/standalone-leader.ts';
import { wantedFeeds } from '../../src/app/notify/feeds.ts';
import { noticeJobs, tellingBroken } from '../../src/app/notify/notice-jobs.ts';
import { openNotifications } from '../../src/app/notify/notifications.ts';
import { openLicence } from '../../src/app/service/licence.ts';
import { DAY_MS, formatTime, IpoError } from '../../src/base/index.ts';
import { issueCertificate } from '../../src/licence/index.ts';
import { auditLog, backupHistory, kevStore } from '../../src/store/index.ts';
import { keptLog } from '../api/service.ts';
import { grow, makeSigner, treeOf } from '../ledger/grown.ts';
import { lineOf, startSide } from '../notify/others.ts';
import { checkPayloads, subscribe } from '../notify/subscriber.ts';
import { settingsOf } from '../notify/world.ts';
import { sqlite } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { scratchDirectory } from './running.ts';

const NEVER = new AbortController().signal;

/** The notifications of a service over a channel that is told everything; `settle` sends, and gives the titles of the new messages. */
async function opened(t: TestContext) {
  const store = await sqlite.open(t);
  const side = await startSide(t);
  await subscribe(store, 'desk', undefined, settingsOf('webhook', side));
  const time = { now: Date.UTC(2026, 10, 24, 6) };
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

  const backup = {
    ...{
      schedule: DAY_MS,
      directory: join(scratchDirectory(t), 'backups'),
      keep: 1,
      database: '',
      program: 'test',
      registry: null,
    },
    ...{ history: backupHistory(store), clock, log, tell: notifications.tell },
    make: () => Promise.reject(new IpoError('unwritable', 'no space left on the device')),
  };
  await assert.rejects(backUp(backup, NEVER), { code: 'unwritable' });
  assert.deepEqual(await settle(), [['ipo.backup_failed', 'A backup of the service failed']]);

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
