import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ReviewEvents } from '../../src/admission/index.ts';
import { toHealthBody, type Health } from '../../src/api/health.ts';
import { healthSchema } from '../../src/api/contract/health.ts';
import {
  imageDetailSchema,
  imageListSchema,
  type ImageDetailBody,
  type ImageListBody,
} from '../../src/api/contract/images.ts';
import { toReviewEvents } from '../../src/app/cluster/events.ts';
import { clusterJobs, type ClusterJobsParts } from '../../src/app/cluster/jobs.ts';
import { scanObstacles } from '../../src/app/scanning/obstacles.ts';
import { openScanning, type ScanningDeps, type ServiceScanning } from '../../src/app/scanning/scanning.ts';
import { scannerSettings } from '../../src/app/config/scanner.ts';
import type { Job } from '../../src/app/running/jobs.ts';
import type { ClusterEvent } from '../../src/cluster/index.ts';
import { imageReportSchema, toImageReport } from '../../src/cluster/image-report.ts';
import { SCAN_FAILURE_REASONS, SCAN_FAILURES, type ScanFailureReason } from '../../src/findings/index.ts';
import { RegistryError, type RegistryFault } from '../../src/image/index.ts';
import type { RunningPod } from '../../src/reconcile/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { AdmissionScanFailures } from '../../src/store/admission/scan-failures.ts';
import { reportSource } from '../../src/store/replay/report-source.ts';
import { imageStore } from '../../src/store/images/images.ts';
import { seePlatforms } from '../../src/store/facts/node-platforms.ts';
import { settlePlatforms } from '../../src/store/scans/settle-platforms.ts';
import { countFailing, readFailures } from '../../src/store/scans/failures.ts';
import { scanQueue } from '../../src/store/scans/queue.ts';
import { scanStore } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { METRICS, openMetrics } from '../../src/telemetry/index.ts';
import { openReviewer, reviewOf } from '../admission/reviews.ts';
import { startInventory } from '../api/inventory.ts';
import { keptLog } from '../api/service.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { forEachEngine } from '../store/engines.ts';
import { append, AT, digestOf, finding, scanOf } from '../store/image-records.ts';
import { GOOD_MODES, MODES, standInTrivy, type Mode, type Plan, type StandIn } from './stand-in-trivy.ts';

const MINUTE = 60_000;
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const SECRET = 'hunter2-of-the-proxy';

/** Kind is a way in which a scan fails, and the reason that is to be seen. */
interface Kind {
  readonly name: string;
  readonly reason: ScanFailureReason;
  /** What the stand-in does; with `said`, what it says. */
  readonly mode?: Mode;
  readonly said?: string;
  /** What the registry answers before the scanner is asked. */
  readonly fault?: RegistryError;
  /** The name that the image is known by; of a registry of its own unless given. */
  readonly image?: string;
  /** Fault of the scanner itself or of its time: it runs after the others, alone. */
  readonly alone?: 'scanner' | 'short' | 'used up';
}

const remote = (said: string): string =>
  `run error: image scan error: unable to find the specified image "x" in ["remote"]: 1 error occurred:\n\t* remote error: ${said}`;
const fault = (kind: RegistryFault, message = `ghcr.io says ${kind}`, certificate = false): RegistryError =>
  new RegistryError(kind, message, { certificate });

/** Every way of the stand-in that ends without a whole report. */
const OF_MODES: Readonly<
  Record<Exclude<Mode, 'report' | 'slow' | 'wait' | 'moves' | 'fail'>, ScanFailureReason>
> = {
  ...{ hang: 'timeout', family: 'timeout', orphan: 'bad_report', truncate: 'bad_report' },
  ...{ killed: 'crashed', status: 'crashed', panic: 'crashed', empty: 'bad_report', garbage: 'bad_report' },
  ...{ flood: 'bad_report', foreign: 'bad_report', files: 'bad_report', incomplete: 'no_packages' },
};

const SAID: readonly (readonly [name: string, reason: ScanFailureReason, said: string])[] = [
  [
    'private ca',
    'certificate',
    remote(
      'Get "https://r.example/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ),
  ],
  ['http', 'refused', remote('Get "https://r.example/v2/": http: server gave HTTP response to HTTPS client')],
  [
    'rate',
    'rate_limited',
    remote('GET https://r.example/v2/a/manifests/x: TOOMANYREQUESTS: You have reached your pull rate limit'),
  ],
  [
    'unauthorized',
    'unauthorized',
    remote('GET https://r.example/v2/a/manifests/x: UNAUTHORIZED: authentication required'),
  ],
  ['gone', 'not_found', remote('GET https://r.example/v2/a/manifests/x: MANIFEST_UNKNOWN: manifest unknown')],
  ['platform', 'unsupported', remote('no child with platform linux/amd64 in index r.example/a')],
  [
    'down',
    'unreachable',
    remote('Get "https://r.example/v2/": dial tcp 10.0.0.1:443: connect: connection refused'),
  ],
  [
    'proxy',
    'unreachable',
    remote(
      `Get "https://r.example/v2/": proxyconnect tcp: dial http://ci:${SECRET}@proxy.example:3128: connection refused`,
    ),
  ],
  [
    'signed address',
    'unauthorized',
    remote(`GET https://blobs.example/x?X-Amz-Signature=${SECRET}: unexpected status code 403 Forbidden`),
  ],
  [
    'slow analysis',
    'timeout',
    'image scan error: scan error: analyze error: timeout: context deadline exceeded',
  ],
  [
    'bad layer',
    'failed',
    'image scan error: scan error: failed analysis: analyze error: unable to read layer: gzip: invalid header',
  ],
];

const OF_REGISTRY: Readonly<Record<RegistryFault, ScanFailureReason>> = {
  ...{
    absent: 'not_found',
    denied: 'unauthorized',
    credentials: 'credentials',
    rate_limited: 'rate_limited',
  },
  ...{
    unavailable: 'unreachable',
    unreadable: 'bad_answer',
    too_large: 'bad_answer',
    cancelled: 'unreachable',
  },
  ...{ unsupported: 'unsupported', refused: 'refused' },
};

const KINDS: readonly Kind[] = [
  ...Object.entries(OF_MODES).map(([mode, reason]): Kind => ({
    ...{ name: `the scanner: ${mode}`, mode: mode as Mode, reason },
    ...(reason === 'timeout' && { alone: 'short' as const }),
  })),
  ...SAID.map(([name, reason, said]): Kind => ({ name: `it says: ${name}`, mode: 'fail', said, reason })),
  ...Object.entries(OF_REGISTRY).map(([kind, reason]): Kind => ({
    name: `the registry: ${kind}`,
    fault: fault(kind as RegistryFault),
    reason,
  })),
  {
    ...{ name: 'the registry: certificate', reason: 'certificate' },
    fault: fault('unavailable', 'ghcr.io has a certificate that no trusted authority signed', true),
  },
  { name: 'no place', reason: 'no_place', image: '169.254.169.254/acme/web:1' },
  { name: 'attempts without an end', reason: 'interrupted', alone: 'used up' },
  {
    ...{ name: 'no database', reason: 'scanner', mode: 'fail', alone: 'scanner' },
    said: 'init error: DB error: failed to download vulnerability DB: database download error',
  },
];

test('the kinds cover every way of the stand-in and every reason', () => {
  const modes = new Set(KINDS.flatMap(({ mode }) => mode ?? []));
  assert.deepEqual(
    MODES.filter((mode) => !modes.has(mode)),
    GOOD_MODES,
  );
  const reasons = new Set(KINDS.map(({ reason }) => reason));
  assert.deepEqual(
    SCAN_FAILURE_REASONS.filter((reason) => !reasons.has(reason)),
    [],
  );
  assert.deepEqual(METRICS.svc_scan_failures_total.labels.reason, SCAN_FAILURE_REASONS);
  const page = readFileSync(new URL('../../docs/image-facts.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)].map((row) => row.slice(1));
  const documented = SCAN_FAILURE_REASONS.map((reason) => [
    reason,
    SCAN_FAILURES[reason].means,
    SCAN_FAILURES[reason].hint,
  ]);
  assert.deepEqual(
    rows.filter(([reason]) => SCAN_FAILURE_REASONS.some((one) => one === reason)),
    documented,
  );
});

/** Every kind on one engine; on the other, one of each reason: what differs between them is what is kept. */
function kindsOn(engine: string): readonly Kind[] {
  if (engine === 'sqlite') return KINDS;
  const quick = KINDS.filter(({ mode }) => mode !== 'orphan' && mode !== 'flood');
  return SCAN_FAILURE_REASONS.flatMap((reason) => quick.find((kind) => kind.reason === reason) ?? []);
}

/** A report of its own, so that this runs without the shared data. */
function reportIn(folder: string): string {
  const path = join(folder, 'report.json');
  const report = {
    ...{
      SchemaVersion: 2,
      CreatedAt: '2026-11-20T05:00:00Z',
      ArtifactName: 'x',
      Metadata: { OS: { Family: 'alpine', Name: '3.22' } },
    },
    Results: [
      { Target: 'x (alpine 3.22)', Class: 'os-pkgs', Type: 'alpine', Packages: [], Vulnerabilities: [] },
    ],
  };
  writeFileSync(path, JSON.stringify(report));
  return path;
}

interface Scanning {
  readonly scanning: ServiceScanning;
  readonly standIn: StandIn;
  readonly report: string;
  readonly metrics: ReturnType<typeof openMetrics>;
  scanAll(): Promise<void>;
}

async function scanningOf(
  t: TestContext,
  store: Store,
  clock: { at: number },
  more: Partial<ScanningDeps> & { readonly timeout?: number } = {},
): Promise<Scanning> {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-failures-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const report = reportIn(folder);
  const standIn = standInTrivy(t, { report });
  const metrics = openMetrics();
  const { timeout, ...deps } = more;
  const settings = scannerSettings.parse({ kind: 'trivy', program: standIn.program, atOnce: 4 });
  const scanning = await openScanning({
    ...{
      store,
      queue: scanQueue(store),
      scans: scanStore(store),
      data: join(folder, 'data'),
      keychain: null,
    },
    ...{ log: keptLog(), metrics, env: { PATH: process.env['PATH'] }, clock: { now: () => clock.at } },
    settings: timeout === undefined ? settings : { ...settings, timeout },
    ...deps,
  });
  t.after(() => scanning.close());
  const job = (name: string): Job => scanning.jobs.find((one) => one.name === name) ?? assert.fail(name);
  const { signal } = new AbortController();
  await job('vulnerability-database').run(signal);
  const scanAll = async (): Promise<void> => {
    await job('scans')
      .run(signal)
      .catch(() => {}); // a broken scanner is what health tells
    await scanning.idle();
  };
  return { scanning, standIn, report, metrics, scanAll };
}

const repositoryOf = (n: number): string => `ghcr.io/acme/kind-${n}`;

/** Has every kind fail once; gives the counts of the metric. */
async function failAll(
  t: TestContext,
  kinds: readonly Kind[],
  store: Store,
  clock: { at: number },
): Promise<Map<string, number>> {
  const queue = scanQueue(store);
  await append(
    store,
    kinds.map(({ image }, n) => ({ digest: digestOf(n + 1), image: image ?? `${repositoryOf(n)}:1` })),
  );
  const faults = new Map(kinds.flatMap(({ fault }, n) => (fault ? [[repositoryOf(n), fault] as const] : [])));
  const registry = {
    manifest: async ({ host, path }: { host: string; path: string }, digest: string) => {
      const found = faults.get(`${host}/${path}`);
      if (found !== undefined) throw found;
      return { kind: 'image', digest };
    },
    platformImage: () => assert.fail('no index is scanned here'),
  } as unknown as NonNullable<ScanningDeps['registry']>;
  const counts = new Map<string, number>();
  const run = async (
    among: readonly number[],
    more: Parameters<typeof scanningOf>[3] = {},
  ): Promise<void> => {
    const { scanning, standIn, report, metrics, scanAll } = await scanningOf(t, store, clock, {
      registry,
      ...more,
    });
    const modes = among.flatMap((n) => (kinds[n]?.mode ? [[repositoryOf(n), kinds[n].mode] as const] : []));
    const saids = among.flatMap((n) => (kinds[n]?.said ? [[repositoryOf(n), kinds[n].said] as const] : []));
    const plan: Plan = { report, images: Object.fromEntries(modes), saids: Object.fromEntries(saids) };
    standIn.plan(plan);
    await queue.request(
      among.map((n) => digestOf(n + 1)),
      null,
      clock.at,
    );
    for (const n of among.filter((one) => kinds[one]?.alone === 'used up'))
      await store.write((transaction) =>
        runText(transaction, 'update scan_queue set attempts = 8 where digest = ?', [digestOf(n + 1)]),
      );
    await scanAll();
    for (const [, reason = '', count] of (await metrics.text()).matchAll(
      /^svc_scan_failures_total\{reason="(\w+)"\} (\d+)$/gm,
    ))
      counts.set(reason, (counts.get(reason) ?? 0) + Number(count));
    await scanning.close();
  };
  const those = (alone: Kind['alone']): number[] =>
    kinds.flatMap((kind, n) => (kind.alone === alone ? [n] : []));
  await run([...those(undefined), ...those('used up')]);
  await run(those('short'), { timeout: 300, slackMs: 0 });
  await run(those('scanner'));
  return counts;
}

const DENY = {
  ...policyOf(toSpec({ enforcement: 'Enforce', admissionTiming: 'DenyUntilScanned' })),
  name: 'scanned',
};

function podOf(n: number): RunningPod {
  return {
    ...{
      namespace: 'shop',
      name: `web-${n}`,
      uid: `pod-${n}`,
      createdAt: AT,
      deleting: false,
      finished: false,
    },
    ...{
      mirror: false,
      workload: `deployment/web-${n}`,
      labels: new Map(),
      breakGlassReason: null,
      spec: {},
    },
    controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `web-${n}`, uid: `rs-${n}` },
    containers: [{ name: 'web', role: 'main', image: `${repositoryOf(n)}:1`, digest: digestOf(n + 1) }],
  };
}

function scanEvents(store: Store, pods: readonly RunningPod[], clock: { at: number }) {
  const events: ClusterEvent[] = [];
  const { jobs } = clusterJobs({
    ...{ api: {}, store, clusterName: null, policies: {}, electionClock: {}, log: keptLog() },
    settings: { trivyOperator: false, imageReports: false, policyReports: 'off' },
    ...{
      election: { leadsCluster: () => true },
      runningPods: { list: async () => ({ complete: true, pods }) },
    },
    ...{ events: { emit: (event: ClusterEvent) => void events.push(event) }, clock: { now: () => clock.at } },
  } as unknown as ClusterJobsParts);
  const job = jobs.find(({ name }) => name === 'scan-failure-events') ?? assert.fail();
  return { events, run: () => job.run(new AbortController().signal) };
}

forEachEngine('why images cannot be scanned', (engine) => {
  test('every kind of failure is seen in each place', async (t) => {
    const clock = { at: AT };
    const store = await engine.open(t);
    const kinds = kindsOn(engine.name);
    const counts = await failAll(t, kinds, store, clock);

    // The metric.
    const expected = Map.groupBy(kinds, ({ reason }) => reason);
    for (const reason of SCAN_FAILURE_REASONS)
      assert.equal(
        counts.get(reason),
        expected.get(reason)?.length,
        `svc_scan_failures_total{reason="${reason}"}`,
      );

    const api = await startInventory(t, store);
    const home = mkdtempSync(join(tmpdir(), 'ipo-failures-cli-'));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const cli = (...args: readonly string[]) =>
      ipo([...args, '--server', api.url, '--token-stdin'], {
        stdin: 'viewer-token',
        env: { HOME: home, XDG_CONFIG_HOME: home },
      });
    const policyFile = join(home, 'policy.yaml');
    writeFileSync(
      policyFile,
      'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: scanned }\nspec: { enforcement: Enforce, admissionTiming: DenyUntilScanned }\n',
    );
    const viewer = api.as('viewer');
    const list = imageListSchema.parse(
      (await viewer.json<ImageListBody>('GET /images', { query: { filter: 'Unscanned' } })).body,
    );
    assert.equal(list.total, kinds.length);
    const listed = await cli('images', 'list', '--filter', 'Unscanned');
    const obstacles = new AdmissionScanFailures(store);
    await obstacles.refresh();
    const pods = kinds.map((_, n) => podOf(n));
    const told = scanEvents(store, pods, clock);
    await told.run();
    const source = reportSource(store, null);
    const { rows: summary } = { rows: await countFailing(store.read) };
    const health = healthSchema.shape.scan_failures.parse(
      toHealthBody({ ...HEALTH, scanFailures: summary }).scan_failures,
    );
    assert.equal(health?.images, kinds.length);

    for (const [n, { name, reason }] of kinds.entries()) {
      const digest = digestOf(n + 1);
      const image = kinds[n]?.image ?? `${repositoryOf(n)}:1`;
      // The API: the list and the image.
      const [failure, ...others] = list.items.find((item) => item.digest === digest)?.scan_failures ?? [];
      assert.deepEqual([failure?.reason, failure?.attempts, others.length], [reason, 1, 0], name);
      assert.ok(failure);
      assert.deepEqual(
        [failure.since, failure.last_at],
        ['2026-11-20T06:00:00Z', '2026-11-20T06:00:00Z'],
        name,
      );
      assert.ok(
        failure.message.length > 0 && !failure.message.includes(SECRET) && !failure.message.includes('\n'),
        failure.message,
      );
      assert.ok(!failure.message.includes('remote error'), `${name}: what the registry said comes first`);
      const waits = reason === 'interrupted' ? 'given_up' : 'waiting';
      assert.deepEqual([failure.state, failure.again_at !== null], [waits, waits === 'waiting'], name);
      const { body } = await viewer.json<ImageDetailBody>('GET /images/{digest}', { params: { digest } });
      assert.deepEqual(imageDetailSchema.parse(body).scan_failures, [failure], name);
      assert.ok(body.explanation.includes(SCAN_FAILURES[reason].means), body.explanation);
      // The command line.
      const shown = await cli('images', 'show', digest);
      assert.ok(shown.out.includes(`scan fails: ${reason}: `), `${name}: ${shown.out}`);
      assert.ok(shown.out.includes(`hint: ${SCAN_FAILURES[reason].hint}`), name);
      assert.ok(!shown.out.includes(SECRET), name);
      const row = listed.out
        .split('\n')
        .find((line) => line.includes(digest.slice(7, 19)) && line.includes(image.slice(0, 20)));
      assert.ok(row?.includes(`${reason}: `), `${name}: ${row}`);
      // What a check says of it before it is deployed.
      const pinned = `${image.replace(/:1$/, '')}@${digest}`;
      if (expected.get(reason)?.[0] === kinds[n]) {
        const checked = await cli('check', '--policy', policyFile, pinned, '--registry', 'never');
        assert.equal(checked.code, 1, checked.err);
        assert.ok(
          checked.out
            .replaceAll(/\s+/g, ' ')
            .includes(`the service could not scan it, since ${SCAN_FAILURES[reason].means}`),
          `${name}: ${checked.out}`,
        );
      }
      // The answer of the webhook, and the event of the workload whose pods it denies.
      const events: ClusterEvent[] = [];
      const emit: ReviewEvents = toReviewEvents({ emit: (event) => void events.push(event) });
      const opened = openReviewer([DENY], { obstacles: scanObstacles(obstacles), events: emit });
      const metadata = {
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1', controller: true },
        ],
      };
      const spec = { containers: [{ name: 'web', image: pinned }] };
      const answer = await opened.ask(reviewOf({ spec, metadata }));
      assert.equal(answer.allowed, false, name);
      assert.equal(answer.status?.message, `container web: not scanned yet: ${pinned} (policy scanned)`);
      const warnings = answer.warnings ?? [];
      assert.ok(
        warnings.some((one) =>
          one.startsWith(`container web: cannot be scanned: ${SCAN_FAILURES[reason].means}`),
        ),
        warnings.join('\n'),
      );
      assert.ok(warnings.includes(`container web: hint: ${SCAN_FAILURES[reason].hint}`), name);
      assert.equal(
        opened.rows()[0]?.reason,
        `not scanned yet: ${pinned}`,
        'the ledger has the sentence alone',
      );
      const [event, ...more] = events.filter((one) => one.reason === 'ScanFailed');
      assert.deepEqual(
        [event?.regarding.kind, event?.regarding.name, more.length],
        ['ReplicaSet', 'web', 0],
        name,
      );
      assert.ok(event?.note.includes(SCAN_FAILURES[reason].means), event?.note);
      // The event of the workload that runs it.
      const running = told.events.filter(({ regarding }) => regarding.name === `web-${n}`);
      assert.deepEqual(
        running.map((one) => [one.reason, one.regarding.kind, one.regarding.uid]),
        [['ScanFailed', 'ReplicaSet', `rs-${n}`]],
      );
      assert.ok(
        running[0]?.note.includes(SCAN_FAILURES[reason].means) && !running[0].note.includes(SECRET),
        name,
      );
      // The report object of the cluster.
      const reported = await source.image(digest, clock.at);
      assert.ok(reported);
      const { status } = imageReportSchema.parse(toImageReport(reported));
      assert.deepEqual(
        status.scanFailures,
        [{ reason, message: failure.message, since: '2026-11-20T06:00:00Z' }],
        name,
      );
      // The health of the service.
      assert.equal(health.by_reason[reason], expected.get(reason)?.length, name);
    }
  });

  test('a failure is kept with how often, over a restart, until a scan or an import succeeds', async (t) => {
    const clock = { at: AT };
    const store = await engine.open(t);
    const [a, b] = [digestOf(1), digestOf(2)];
    await append(store, [
      { digest: a, image: 'ghcr.io/acme/web:1' },
      { digest: b, image: 'ghcr.io/acme/job:1' },
    ]);
    const queue = scanQueue(store);
    const failures = async (digest: string) => (await imageStore(store).item(digest))?.failures ?? [];
    const first = await scanningOf(t, store, clock);
    const bad = { report: first.report, mode: 'garbage' as const };
    first.standIn.plan(bad);
    await queue.request([a, b], null, AT);
    await first.scanAll();
    await first.scanning.close();
    await startInventory(t, store).then((api) => api.as('viewer').json('GET /images'));
    assert.deepEqual(await failures(a), [
      {
        ...{ platform: null, reason: 'bad_report', message: 'the report is not JSON', state: 'waiting' },
        ...{ since: AT, lastAt: AT, attempts: 1, againAt: AT + MINUTE },
      },
    ]);

    clock.at += MINUTE;
    const second = await scanningOf(t, store, clock);
    second.standIn.plan({ report: second.report, mode: 'killed' });
    await second.scanAll();
    const [again] = await failures(a);
    assert.deepEqual(
      [again?.reason, again?.since, again?.lastAt, again?.attempts, again?.againAt],
      ['crashed', AT, AT + MINUTE, 2, AT + 3 * MINUTE],
    );

    // What is given up says so, and is due at once when somebody asks.
    const memory = new AdmissionScanFailures(store);
    await memory.refresh();
    assert.equal(memory.of(b).length, 1);
    await store.write((transaction) =>
      runText(transaction, 'update scan_queue set attempts = 7 where digest = ?', [b]),
    );
    clock.at += 2 * MINUTE;
    second.standIn.plan({
      report: second.report,
      images: { 'ghcr.io/acme/web': 'report', 'ghcr.io/acme/job': 'garbage' },
    });
    await second.scanAll();
    assert.deepEqual(await failures(a), [], 'its scan succeeded');
    assert.deepEqual(
      (await failures(b)).map(({ state, againAt, attempts }) => [state, againAt, attempts]),
      [['given_up', null, 3]],
    );
    await queue.request([b], 'user:1', clock.at);
    assert.deepEqual(
      (await failures(b)).map(({ state, againAt }) => [state, againAt]),
      [['waiting', clock.at]],
    );
    await queue.claim(clock.at, clock.at - MINUTE, 1);
    assert.deepEqual(
      (await failures(b)).map(({ state, againAt }) => [state, againAt]),
      [['scanning', null]],
    );

    const imported = { digest: b, names: [], source: null, at: clock.at };
    await scanStore(store).record({ ...imported, scan: scanOf(null) });
    assert.equal((await failures(b)).length, 1, 'a report that says nothing is no scan');
    await scanStore(store).record({ ...imported, scan: scanOf([finding('CVE-2026-1')]) });
    assert.deepEqual(await failures(b), []);
    await memory.refresh();
    assert.deepEqual(memory.of(b), []);
    assert.deepEqual(await countFailing(store.read), { images: 0, byReason: {} });
  });

  test('each platform of a digest fails by itself, and what no node runs any more is forgotten', async (t) => {
    const clock = { at: AT };
    const store = await engine.open(t);
    const digest = digestOf(1);
    const platforms = ['linux/amd64', 'linux/arm64', 'linux/s390x'];
    const entries = platforms.map((platform, n) => ({ platform, digest: digestOf(0x100 + n) }));
    const index = entries.map((entry) => {
      const [os = '', architecture = ''] = entry.platform.split('/');
      return {
        ...{ mediaType: OCI_MANIFEST, digest: entry.digest, size: 1, artifactType: null, annotations: {} },
        platform: { os, architecture, variant: null, osVersion: null },
      };
    });
    const registry = {
      manifest: async () => ({ kind: 'index', digest, manifests: index }),
      platformImage: async (_: unknown, wanted: { architecture: string }) => ({
        image: { digest: entries.find(({ platform }) => platform.endsWith(wanted.architecture))?.digest },
      }),
    } as unknown as NonNullable<ScanningDeps['registry']>;
    await append(store, [{ digest, image: 'ghcr.io/acme/web:1' }]);
    await seePlatforms(store, 'east', platforms, 'linux/amd64', AT);
    const { standIn, report, scanAll } = await scanningOf(t, store, clock, { registry });
    const plan = (bad: readonly number[], mode: Mode = 'garbage'): void =>
      standIn.plan({
        report,
        images: Object.fromEntries(bad.map((n) => [`ghcr.io/acme/web@${entries[n]?.digest}`, mode])),
      });
    const failing = async (): Promise<readonly (string | null)[]> =>
      (await readFailures(store.read, [digest])).get(digest)?.map(({ platform }) => platform) ?? [];
    const attempts = async (count: number): Promise<void> => {
      for (let attempt = 0; attempt < count; attempt += 1) {
        await scanQueue(store).request([digest], 'user:1', clock.at);
        await scanAll();
        clock.at += MINUTE;
      }
    };
    plan([1, 2]);
    await attempts(4);
    assert.deepEqual(await failing(), ['linux/arm64', 'linux/s390x']);
    const { signal } = new AbortController();
    await store.write((transaction) =>
      runText(transaction, "delete from node_platforms where platform = 'linux/s390x'", []),
    );
    await settlePlatforms(store, clock.at, AT, signal);
    assert.deepEqual(await failing(), ['linux/arm64']);
    plan([]);
    await attempts(4);
    assert.deepEqual(await failing(), []);
    // One that holds no packages, before another that does.
    plan([0], 'incomplete');
    await attempts(1);
    assert.deepEqual(await failing(), ['linux/amd64']);
    assert.equal(await scanQueue(store).size(), 0);
    plan([]);
    await attempts(1);
    assert.deepEqual(await failing(), []);
  });

  test('a workload is told once for each reason, not with each attempt, and again while it holds', async (t) => {
    const clock = { at: AT };
    const store = await engine.open(t);
    const digest = digestOf(1);
    await append(store, [{ digest, image: `${repositoryOf(0)}:1` }]);
    const other = { ...podOf(0), name: 'web-0b', uid: 'pod-0b' };
    const ended = { ...podOf(0), uid: 'pod-0c', finished: true, controller: null };
    const { events, run } = scanEvents(store, [podOf(0), other, ended, podOf(1)], clock);
    const fail = async (reason: ScanFailureReason): Promise<void> => {
      await scanQueue(store).request([digest], 'user:1', clock.at);
      const [claim] = await scanQueue(store).claim(clock.at, clock.at - MINUTE, 1);
      assert.ok(claim);
      const failure = { platform: null, reason, message: `at ${clock.at}`, at: clock.at };
      await scanQueue(store).fail(claim, failure, clock.at + MINUTE);
    };
    const told: number[] = [];
    const step = async (reason: ScanFailureReason | null, ms: number): Promise<void> => {
      clock.at += ms;
      if (reason !== null) await fail(reason);
      await run();
      told.push(events.length);
    };
    await step('certificate', 0);
    await step('certificate', MINUTE);
    await step('certificate', MINUTE);
    await step('unauthorized', MINUTE);
    await step(null, 6 * 60 * MINUTE - 1);
    await step(null, 1);
    assert.deepEqual(told, [1, 1, 1, 2, 2, 3]);
    await scanStore(store).record({ digest, names: [], source: null, scan: scanOf([]), at: clock.at });
    await step(null, MINUTE);
    await step('unauthorized', MINUTE);
    assert.deepEqual(told.slice(-2), [3, 4]);
    assert.deepEqual(new Set(events.map(({ regarding }) => regarding.uid)), new Set(['rs-0']));
  });
});

const HEALTH: Health = {
  ...{ version: '1', now: AT, startedAt: AT, database: { status: 'ok', engine: 'sqlite' } },
  ledger: {
    status: 'ok',
    rows: 0,
    treeSize: 0,
    checkpoint: null,
    spool: null,
    clock: { behind: 0, recordedAt: null },
    anchors: [],
  },
  ...{
    replay: { status: 'ok' },
    jobs: [],
    webhook: null,
    cluster: null,
    scanner: null,
    notifications: null,
    untrustedProxies: [],
  },
  kev: { version: null, entries: null, fetchedAt: null, checkedAt: null, lastError: null },
  trivyDb: { updatedAt: null, checkedAt: null, fetchedAt: null, lastError: null },
  ...{ registries: { status: 'ok', away: [], more: 0 }, scanFailures: { images: 0, byReason: {} } },
};
