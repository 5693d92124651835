import assert from 'node:assert/strict';
import { missingPlatforms } from '../../src/findings/index.ts';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readScanReports } from '../../src/adapters/trivy/index.ts';
import type { Job } from '../../src/app/running/jobs.ts';
import { openScanning, type ScanningDeps, type ServiceScanning } from '../../src/app/scanning/scanning.ts';
import { scannerSettings } from '../../src/app/config/scanner.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { RegistryError } from '../../src/image/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { scanQueue } from '../../src/store/scans/queue.ts';
import { scanStore } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import type { Metrics } from '../../src/telemetry/index.ts';
import { keptLog } from '../api/service.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { descriptorOf, imageOf, indexOf } from '../registry/images.ts';
import { openClient } from '../registry/open.ts';
import { append, AT, digestOf, rowsOf } from '../store/image-records.ts';
import { noData, realReport, standInTrivy, type StandIn } from './stand-in-trivy.ts';

interface Joined {
  readonly scanning: ServiceScanning;
  readonly store: Store;
  readonly standIn: StandIn;
  readonly log: ReturnType<typeof keptLog>;
  readonly clock: { at: number };
  readonly gauges: Map<string, number>;
  job(name: string): Job;
  /** Makes every scan that waits. */
  scanAll(): Promise<void>;
  measure(): Promise<void>;
}

async function joined(
  t: TestContext,
  kind = 'trivy',
  settings: object = {},
  more: Partial<ScanningDeps> = {},
): Promise<Joined> {
  const standIn = standInTrivy(t, { report: noData === false ? realReport('golden/alpine-310.json') : '' });
  const data = join(standIn.directory, 'data');
  const store = await openStore({ url: `sqlite:${join(standIn.directory, 'ipo.db')}` });
  const clock = { at: AT };
  const log = keptLog();
  const gauges = new Map<string, number>();
  const sources: (() => Promise<void>)[] = [];
  const set = (name: string, value: number): void => void gauges.set(name, value);
  const metrics = {
    ...{ set, unset: () => {}, observe: () => {}, text: async () => '', contentType: '' },
    add: (name: string, labels: Record<string, string> = {}) => {
      const key = `${name} ${Object.values(labels).join(' ')}`;
      gauges.set(key, (gauges.get(key) ?? 0) + 1);
    },
    collect: (source: () => Promise<void>) => void sources.push(source),
  } as unknown as Metrics;
  const scanning = await openScanning({
    ...{ store, queue: scanQueue(store), scans: scanStore(store), data, keychain: null, log, metrics },
    settings: scannerSettings.parse({ kind, program: standIn.program, ...settings }),
    env: { PATH: process.env['PATH'] },
    clock: { now: () => clock.at },
    ...more,
  });
  t.after(async () => {
    await scanning.close();
    await store.close();
  });
  const job = (name: string): Job => {
    const found = scanning.jobs.find((one) => one.name === name);
    assert.ok(found, name);
    return found;
  };
  const { signal } = new AbortController();
  const scanAll = async (): Promise<void> => {
    await job('scans').run(signal);
    await scanning.idle();
  };
  const measure = async (): Promise<void> => {
    for (const source of sources) await source();
  };
  return { scanning, store, standIn, log, clock, gauges, job, scanAll, measure };
}

const { signal } = new AbortController();

test(
  'every real report comes through the program as it comes through an import',
  { skip: noData },
  async (t) => {
    const { store, standIn, job, scanAll } = await joined(t);
    await job('vulnerability-database').run(signal);
    const index = JSON.parse(readFileSync(realReport('INDEX.json'), 'utf8')) as { reports?: unknown };
    const names = [...JSON.stringify(index).matchAll(/"([\w./-]+\.json)"/g)].map(([, name = '']) => name);
    assert.ok(names.length >= 30);
    for (const [n, name] of [...new Set(names)].entries()) {
      const report = realReport(name);
      const [expected] = readScanReports(JSON.parse(readFileSync(report, 'utf8')), name);
      assert.ok(expected);
      standIn.plan({ report, createdAt: '2026-11-20T05:00:00Z' });
      const digest = digestOf(n + 1);
      await append(store, [{ digest }]);
      await scanQueue(store).request([digest], null, AT);
      await scanAll();
      const facts = await readFacts(store.read, digest);
      const { findings } = expected.scan;
      if (findings === null) {
        assert.equal(facts, null, `${name} says nothing`);
        continue;
      }
      assert.deepEqual(
        facts?.scan?.findings?.map(({ cve, severity, package: of, installed, fixed }) => [
          cve,
          severity,
          of,
          installed,
          fixed,
        ]),
        findings.map(({ cve, severity, package: of, installed, fixed }) => [
          cve,
          severity,
          of,
          installed,
          fixed,
        ]),
        name,
      );
      assert.deepEqual(facts?.scan?.os, expected.scan.os, name);
      assert.equal(facts?.scan?.scanner?.dbUpdatedAt, '2026-11-20T00:00:00Z');
    }
  },
);

test(
  'without a database no scan is burnt; with it they are made, and rescans follow it',
  { skip: noData },
  async (t) => {
    const { scanning, store, standIn, clock, gauges, job, scanAll, measure } = await joined(t);
    const report = realReport('golden/alpine-310.json');
    const digests = [1, 2, 3].map(digestOf);
    await append(
      store,
      digests.map((digest) => ({ digest })),
    );
    await scanQueue(store).request(digests, null, AT);
    await scanAll();
    await assert.rejects(job('scans').run(signal), {
      message: /no vulnerability database has been downloaded yet/,
    });
    assert.match(scanning.health()?.message ?? '', /no vulnerability database has been downloaded yet/);
    await measure();
    assert.deepEqual(
      [gauges.get('svc_scan_queue_size'), gauges.get('svc_vulnerability_db_updated_seconds')],
      [3, undefined],
    );

    await job('vulnerability-database').run(signal);
    clock.at += 60_000;
    await scanAll();
    await measure();
    assert.deepEqual(
      [
        gauges.get('svc_scan_queue_size'),
        gauges.get('svc_vulnerability_db_updated_seconds'),
        scanning.health()?.message,
      ],
      [0, Date.UTC(2026, 10, 20) / 1000, null],
    );
    assert.equal(gauges.get('svc_scans_total done'), 3);

    clock.at += 6 * 3_600_000;
    standIn.plan({ report, database: '2026-11-20T06:00:00Z' });
    await job('vulnerability-database').run(signal);
    assert.equal(gauges.get('svc_vulnerability_db_refreshes_total updated'), 2);
    const before = standIn.scans().length;
    await scanAll();
    assert.equal(standIn.scans().length - before, 3);
    const scans = await rowsOf(store, 'select distinct db_updated_at from scans where current = 1');
    assert.deepEqual(scans, [{ db_updated_at: Date.UTC(2026, 10, 20, 6) }]);
  },
);

test(
  'a service that ends while a scan hangs ends it, and the next one makes it',
  { skip: noData },
  async (t) => {
    const { scanning, store, standIn, job } = await joined(t);
    await job('vulnerability-database').run(signal);
    standIn.plan({ report: realReport('golden/alpine-310.json'), mode: 'hang' });
    await append(store, [{ digest: digestOf(1) }]);
    await scanQueue(store).request([digestOf(1)], null, AT);
    await job('scans').run(signal);
    while (standIn.scans().length === 0) await new Promise((resume) => setImmediate(resume));
    await scanning.close();
    assert.deepEqual(await rowsOf(store, 'select attempts, claimed_at from scan_queue'), [
      { attempts: 0, claimed_at: null },
    ]);
  },
);

test(
  'what a killed service was scanning the next one on its file scans at once',
  { skip: noData },
  async (t) => {
    const { store, clock, job, scanAll } = await joined(t);
    await job('vulnerability-database').run(signal);
    await append(store, [{ digest: digestOf(1) }]);
    const queue = scanQueue(store);
    await queue.request([digestOf(1)], null, AT - 60_000);
    // The claim of a process that is gone; it would hold for a quarter of an hour.
    assert.equal((await queue.claim(AT - 30_000, 0, 1)).length, 1);
    clock.at += 1000;
    await scanAll();
    assert.deepEqual(
      [await queue.size(), (await readFacts(store.read, digestOf(1)))?.scan !== null],
      [0, true],
    );
  },
);

test(
  'health tells of a scanner that works again, also when no scan is there to try it',
  { skip: noData },
  async (t) => {
    const { scanning, store, standIn, clock, job, scanAll } = await joined(t);
    await job('vulnerability-database').run(signal);
    await append(store, [{ digest: digestOf(1) }]);
    const queue = scanQueue(store);
    await queue.request([digestOf(1)], null, AT);
    renameSync(standIn.program, `${standIn.program}.away`);
    await scanAll();
    assert.match(scanning.health()?.message ?? '', /cannot be started/);
    // Another replica makes the scan.
    const [claim] = await queue.claim(AT + 120_000, AT + 120_000, 1);
    assert.ok(claim !== undefined && (await queue.finish(claim)));
    clock.at += 60_000;
    await assert.rejects(job('scans').run(signal), { message: /cannot be started/ });
    renameSync(`${standIn.program}.away`, standIn.program);
    clock.at += 60_000;
    await scanAll();
    assert.equal(scanning.health()?.message, null);
  },
);

test('auto runs nothing where no scanner is found, and says so once; off says nothing', async (t) => {
  for (const kind of ['auto', 'off']) {
    const { scanning, log } = await joined(t, kind, { program: '/nowhere/trivy' });
    assert.deepEqual(
      scanning.jobs.map(({ name }) => name),
      ['node-platforms'],
    );
    assert.equal(scanning.health(), null);
    assert.equal(scanning.database.off, true);
    assert.equal((await scanning.database.refresh()).outcome, 'off');
    assert.equal(log.lines.length, kind === 'auto' ? 1 : 0);
  }
});

test('two processes cannot work in one directory of a scanner', async (t) => {
  const { standIn } = await joined(t);
  const directory = join(standIn.directory, 'data', 'scanner');
  await assert.rejects(joined(t, 'trivy', { directory }), {
    code: 'unavailable',
    message: /scanner\.lock is locked/,
  });
});

test('settings of a scanner that cannot be meant are refused', () => {
  const refused = (settings: object): readonly string[] =>
    scannerSettings.safeParse(settings).error?.issues.map(({ path }) => path.join('.')) ?? [];
  for (const server of [
    'trivy:4954',
    'http://trivy.example.com',
    'https://u:p@trivy',
    'https://trivy/?x',
    'ftp://x',
  ])
    assert.deepEqual(refused({ server }), ['server'], server);
  for (const server of [
    'http://127.0.0.1:4954',
    'http://trivy:4954',
    'http://trivy.security.svc.cluster.local:4954',
    'https://trivy.example.com/scan',
  ])
    assert.deepEqual(refused({ server }), [], server);
  assert.deepEqual(refused({ timeout: '20m' }), ['timeout'], 'it would outlive its claim');
  assert.deepEqual(refused({ platform: 'linux amd64' }), ['platform']);
  assert.deepEqual(refused({ databaseRepository: 'https://mirror/trivy-db' }), ['databaseRepository']);
  assert.deepEqual(refused({ databaseRepository: 'mirror.example.com:5000/a/trivy-db:2', atOnce: 16 }), []);
});

test(
  'of an index that shows scanners a clean image the one is scanned that a node runs',
  { skip: noData },
  async (t) => {
    const fake = await startFakeRegistry(t);
    const [clean, bad] = [imageOf('clean').manifest, imageOf('bad').manifest];
    const [v2, plain] = [
      { os: 'linux', architecture: 'amd64', variant: 'v2' },
      { os: 'linux', architecture: 'amd64' },
    ];
    // By the libraries of scanners the first is taken in each: a variant that was not asked for, an entry without a platform.
    const indexes = [
      indexOf([descriptorOf(clean, { platform: v2 }), descriptorOf(bad, { platform: plain })]),
      indexOf([descriptorOf(clean), descriptorOf(bad, { platform: plain })]),
    ];
    for (const { digest, mediaType, bytes } of [clean, bad, ...indexes])
      fake.manifests.set(`shop/web ${digest}`, { type: mediaType, bytes });
    const registry = openClient(t);
    const { store, standIn, clock, job, scanAll } = await joined(t, 'trivy', {}, { registry });
    standIn.plan({ report: realReport('golden/alpine-310.json'), createdAt: '2026-11-20T05:00:00Z' });
    await job('vulnerability-database').run(signal);
    for (const { digest } of indexes) {
      await append(store, [{ digest, image: `${fake.host}/shop/web@${digest}` }]);
      await scanQueue(store).request([digest], null, clock.at);
      await scanAll();
      assert.equal(standIn.calls().at(-1)?.args.at(-1), `${fake.host}/shop/web@${bad.digest}`);
      assert.ok(((await readFacts(store.read, digest))?.scan?.findings?.length ?? 0) > 0);
    }
    assert.equal(await readFacts(store.read, bad.digest), null);
  },
);

test(
  'of an index each image is scanned that nodes of any cluster run, by its own digest, and none of another platform',
  { skip: noData },
  async (t) => {
    const fake = await startFakeRegistry(t);
    const made = ['amd64', 'arm64', 's390x'].map((architecture) => ({
      architecture,
      image: imageOf(architecture).manifest,
    }));
    const index = indexOf(
      made.map(({ architecture, image }) => descriptorOf(image, { platform: { os: 'linux', architecture } })),
    );
    for (const { digest, mediaType, bytes } of [...made.map(({ image }) => image), index])
      fake.manifests.set(`shop/web ${digest}`, { type: mediaType, bytes });
    const nodes = { cluster: 'east', platforms: () => ['linux/amd64'], isLeader: () => true };
    const held = { nodes };
    const { store, standIn, clock, log, job, scanAll } = await joined(
      t,
      'trivy',
      {},
      {
        registry: openClient(t),
        nodes: { ...nodes, platforms: () => held.nodes.platforms() },
      },
    );
    standIn.plan({ report: realReport('golden/alpine-310.json'), createdAt: '2026-11-20T05:00:00Z' });
    await job('vulnerability-database').run(signal);
    await job('node-platforms').run(signal);
    const { digest } = index;
    await append(store, [{ digest, image: `${fake.host}/shop/web@${digest}` }]);
    await scanQueue(store).request([digest], null, clock.at);
    await scanAll();
    const scanned = () =>
      standIn.calls().flatMap(({ args }) => {
        const at = args.indexOf('--platform');
        return at < 0 ? [] : [[args[at + 1], args.at(-1)]];
      });
    const order = (i: number) => [
      `linux/${made[i]?.architecture}`,
      `${fake.host}/shop/web@${made[i]?.image.digest}`,
    ];
    assert.deepEqual(scanned(), [order(0)]);
    assert.equal((await readFacts(store.read, digest))?.scan?.platforms?.length, 1);
    // A node of another architecture joins.
    held.nodes = { ...nodes, platforms: () => ['linux/amd64', 'linux/arm64'] };
    await job('node-platforms').run(signal);
    assert.ok(log.lines.some(({ message }) => /the nodes have other platforms than before/.test(message)));
    const missing = (await readFacts(store.read, digest))?.scan ?? assert.fail();
    assert.deepEqual(missingPlatforms(missing), ['linux/arm64']);
    await scanAll();
    assert.deepEqual(scanned(), [order(0), order(0), order(1)]);
    const scan = (await readFacts(store.read, digest))?.scan ?? assert.fail();
    assert.deepEqual(missingPlatforms(scan), []);
    assert.deepEqual(
      scan.platforms?.map((one) => [one.platform, one.digest, one.scanned]),
      [0, 1].map((i) => [`linux/${made[i]?.architecture}`, made[i]?.image.digest, true]),
    );
    assert.equal(await scanQueue(store).size(), 0);
  },
);

test(
  'through a proxy that this service does not use, the scanner chooses; not where the registry says no',
  { skip: noData },
  async (t) => {
    const faults = [
      new RegistryError('unavailable', 'registry.example.com cannot be reached'),
      new RegistryError('unsupported', 'no image for linux/amd64'),
    ];
    const outcomes: number[] = [];
    for (const HTTPS_PROXY of ['http://proxy.example.com:3128', ''])
      for (const error of faults) {
        const env = { PATH: process.env['PATH'], HTTPS_PROXY };
        const fail = () => Promise.reject(error);
        const registry = { manifest: fail, platformImage: fail };
        const { store, standIn, clock, job, scanAll } = await joined(t, 'trivy', {}, { registry, env });
        await job('vulnerability-database').run(signal);
        await append(store, [{ digest: digestOf(1) }]);
        await scanQueue(store).request([digestOf(1)], null, clock.at);
        await scanAll();
        outcomes.push(standIn.calls().filter(({ args }) => args.includes('--image-src')).length);
      }
    assert.deepEqual(outcomes, [1, 0, 0, 0]);
  },
);
