import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelEvent } from '../../src/channels/index.ts';
import type { Severity } from '../../src/findings/index.ts';
import { EVENT_PAYLOADS } from '../../src/notify/index.ts';
import { kevStore } from '../../src/store/catalogues/kev.ts';
import { tellTriageRanOut } from '../../src/store/findings/tell-triage.ts';
import { recordSweep } from '../../src/store/history/cluster-sweeps.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { triageStore } from '../../src/store/scans/triage.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { subscribe } from '../notify/subscriber.ts';
import { dying } from './cut-writes.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, finding, rowsOf, scanOf } from './image-records.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const API = digestOf(1);
const WEB = digestOf(2);
const NEVER = new AbortController().signal;

/** What a channel is told next, as event, subject and what each occurrence says; taken out of the outbox. */
async function told(store: Store): Promise<readonly unknown[][]> {
  const rows = await rowsOf(store, 'select event, subject, items from outbox order by id');
  await store.write((transaction) => transaction.deleteFrom('outbox').execute());
  return rows.flatMap(({ event, subject, items }) =>
    String(items)
      .split('\n')
      .map((item) => {
        const payload = JSON.parse(item) as Record<string, unknown>;
        EVENT_PAYLOADS[event as ChannelEvent].schema.strict().parse(payload);
        return [
          event,
          subject === API ? 'api' : subject === WEB ? 'web' : subject,
          payload['cve'],
          payload['reason'],
        ];
      }),
  );
}

async function scanned(
  store: Store,
  at: number,
  found: Readonly<Record<string, Severity>>,
  digest = API,
): Promise<void> {
  const scan = scanOf(
    Object.entries(found).map(([cve, severity]) => finding(cve, severity)),
    {
      scannedAt: new Date(at).toISOString(),
      scanner: { name: 'trivy', version: '1', dbUpdatedAt: new Date(at).toISOString() },
    },
  );
  await store.write((transaction) => recordScan(transaction, { digest, names: [], source: null, scan, at }));
}

function swept(store: Store, at: number, digests: readonly string[], cluster = 'eu'): Promise<void> {
  return recordSweep(store, {
    ...{ cluster, startedAt: at, finishedAt: at, pods: 1 },
    running: digests.map((digest, n) => ({ namespace: 'shop', workload: `deployment/w${n}`, digest })),
  });
}

function triaged(store: Store, at: number, until: number, cve = 'CVE-1'): Promise<{ readonly id: number }> {
  return triageStore(store).create({
    ...{ digest: API, cve, severity: 'CRITICAL', reason: 'why', triagedBy: 'Ada', accountId: null },
    ...{ createdAt: at, until },
  });
}

forEachEngine('findings that channels are told of', (engine) => {
  test('a critical finding is told when it is new, and when a scan proves that it ended', async (t) => {
    const store = await engine.open(t);
    await subscribe(store);
    await scanned(store, AT, { 'CVE-1': 'CRITICAL', 'CVE-2': 'HIGH' });
    assert.deepEqual(await told(store), [['critical_finding', 'api', 'CVE-1', 'found']]);
    await scanned(store, AT + HOUR, { 'CVE-1': 'CRITICAL', 'CVE-2': 'CRITICAL' });
    assert.deepEqual(await told(store), [['critical_finding', 'api', 'CVE-2', 'found']]);
    await scanned(store, AT + 2 * HOUR, { 'CVE-2': 'CRITICAL' });
    assert.deepEqual(await told(store), [['finding_resolved', 'api', 'CVE-1', 'fixed']]);
    await scanned(store, AT + 3 * HOUR, { 'CVE-1': 'CRITICAL', 'CVE-2': 'CRITICAL' });
    assert.deepEqual(await told(store), [['critical_finding', 'api', 'CVE-1', 'found']]);
  });

  test('one that triage covers is told as ended, and again once that is over', async (t) => {
    const store = await engine.open(t);
    await subscribe(store);
    await tellTriageRanOut(store, AT);
    await scanned(store, AT, { 'CVE-1': 'CRITICAL', 'CVE-2': 'HIGH' });
    await told(store);
    const { id } = await triaged(store, AT + 1, AT + 30 * DAY);
    assert.deepEqual(await told(store), [['finding_resolved', 'api', 'CVE-1', 'triaged']]);
    await triaged(store, AT + 2, AT + 31 * DAY);
    await scanned(store, AT + HOUR, { 'CVE-1': 'CRITICAL', 'CVE-2': 'HIGH' });
    assert.deepEqual(await told(store), [], 'a second decision is no news');
    await triageStore(store).end(id, AT + 2 * HOUR);
    assert.deepEqual(await told(store), [], 'the other one still covers it');
    await triaged(store, AT + 3, AT + 30 * DAY, 'CVE-2');
    await tellTriageRanOut(store, AT + 30 * DAY);
    assert.deepEqual(await told(store), []);
    await tellTriageRanOut(store, AT + 31 * DAY - 1);
    assert.deepEqual(await told(store), []);
    await tellTriageRanOut(store, AT + 31 * DAY);
    assert.deepEqual(await told(store), [['critical_finding', 'api', 'CVE-1', 'triage_ended']]);
    await tellTriageRanOut(store, AT + 31 * DAY);
    await tellTriageRanOut(store, AT + 32 * DAY);
    assert.deepEqual(await told(store), [], 'once');
    const again = await triaged(store, AT + 32 * DAY, AT + 60 * DAY);
    await told(store);
    await triageStore(store).end(again.id, AT + 33 * DAY);
    assert.deepEqual(await told(store), [['critical_finding', 'api', 'CVE-1', 'triage_ended']]);
  });

  test('many decisions that ran out at once are told in several transactions, each finding once, also over a crash', async (t) => {
    const store = await engine.open(t);
    await subscribe(store);
    await tellTriageRanOut(store, AT);
    const cves = Array.from({ length: 240 }, (_, n) => `CVE-${n}`);
    await scanned(store, AT, Object.fromEntries(cves.map((cve) => [cve, 'CRITICAL'])));
    const rows = cves.flatMap((cve) => {
      const one = { digest: API, cve, reason: 'why', triaged_by: 'Ada', account_id: null, ended_at: null };
      return [AT + DAY, AT + DAY].map((until) => ({ ...one, severity: null, created_at: AT, until }));
    });
    await store.write(async (transaction) => {
      await transaction.insertInto('triage').values(rows).execute();
    });
    await told(store);
    const counted = async (): Promise<number> =>
      Number((await rowsOf(store, 'select sum(count) as count from outbox'))[0]?.['count']);
    await assert.rejects(tellTriageRanOut(dying(store, 2), AT + DAY), /it died/);
    assert.ok((await counted()) < cves.length);
    await tellTriageRanOut(store, AT + DAY);
    assert.equal(await counted(), cves.length);
    await tellTriageRanOut(store, AT + DAY);
    await tellTriageRanOut(store, AT + 2 * DAY);
    assert.equal(await counted(), cves.length, 'once');
  });

  test('what ran out before anybody looked is not told', async (t) => {
    const store = await engine.open(t);
    await subscribe(store);
    await scanned(store, AT, { 'CVE-1': 'CRITICAL' });
    await triaged(store, AT + 1, AT + DAY);
    await told(store);
    await tellTriageRanOut(store, AT + 2 * DAY);
    assert.deepEqual(await told(store), []);
  });

  test('the last image of a finding that ran anywhere ends it, and one that runs again brings it back', async (t) => {
    const store = await engine.open(t);
    await subscribe(store);
    await scanned(store, AT, { 'CVE-1': 'CRITICAL', 'CVE-2': 'CRITICAL', 'CVE-3': 'HIGH' });
    await scanned(store, AT, { 'CVE-1': 'CRITICAL' }, WEB);
    await triaged(store, AT + 1, AT + 60 * DAY, 'CVE-2');
    await told(store);
    await swept(store, AT, [API, WEB]);
    await swept(store, AT, [API], 'us');
    await swept(store, AT + DAY, [WEB]);
    assert.deepEqual(await told(store), [], 'it runs in another cluster');
    await swept(store, AT + DAY + HOUR, [], 'us');
    assert.deepEqual(await told(store), [['finding_resolved', 'api', 'CVE-1', 'image_retired']]);
    await swept(store, AT + DAY + 2 * HOUR, [WEB]);
    await scanned(store, AT + DAY + 3 * HOUR, { 'CVE-2': 'CRITICAL', 'CVE-3': 'HIGH' });
    assert.deepEqual(await told(store), [], 'what was told to have ended does not end again');
    await scanned(store, AT + DAY + 4 * HOUR, { 'CVE-1': 'CRITICAL', 'CVE-2': 'CRITICAL' });
    await told(store);
    await swept(store, AT + 3 * DAY, [API, WEB]);
    assert.deepEqual(await told(store), [['critical_finding', 'api', 'CVE-1', 'runs_again']]);
    await swept(store, AT + 3 * DAY + HOUR, [API, WEB]);
    await swept(store, AT + 3 * DAY + HOUR, [API], 'us');
    assert.deepEqual(await told(store), [], 'once');
  });

  test('a vulnerability of a running image that enters the catalogue is told', async (t) => {
    const store = await engine.open(t);
    await subscribe(store);
    await scanned(store, AT, { 'CVE-1': 'CRITICAL', 'CVE-2': 'HIGH' });
    await scanned(store, AT, { 'CVE-2': 'HIGH' }, WEB);
    await swept(store, AT, [API]);
    await told(store);
    const kev = kevStore(store);
    const list = async (at: number, ...cves: string[]): Promise<void> => {
      const entries = ['CVE-0', ...cves].map((cve) => ({ cve, dateAdded: '2026-01-01', dueDate: null }));
      await kev.replace(
        { version: String(at), releasedAt: at, entries },
        { source: 'file:///kev', validators: { etag: null, lastModified: null }, at },
      );
      await kev.mark(at, NEVER);
    };
    await list(AT + 1, 'CVE-2');
    assert.deepEqual(await told(store), [['known_exploited_added', 'CVE-2', 'CVE-2', undefined]]);
    await list(AT + 2, 'CVE-2');
    assert.deepEqual(await told(store), []);
  });
});
