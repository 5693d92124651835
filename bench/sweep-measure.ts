import { randomBytes } from 'node:crypto';
import {
  channelStore,
  filingStore,
  openStore,
  raiseFence,
  runningImages,
  continuationStore,
  sweepStore,
  type Store,
} from '../src/store/index.ts';
import { Breaker, openMarkers, SteadyClock, Sweep, type TrackerParts } from '../src/trackers/index.ts';

/**
 * Measures closing sweeps over two databases that take turns, so that what else the machine does hits both: `sweep-measure.ts
 * FEW_FILE ROWS MANY_FILE ROWS`. Prints one JSON line.
 */
const ROUNDS = 7;
/** Rows of one image. */
const PER_IMAGE = 10;
const AT = Date.UTC(2026, 10, 21, 9);
const MINUTES = 10 * 60_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let calls = 0;
let now = AT;

/** Open rows, each with an issue of its own, whose findings are all still there. */
async function fill(store: Store, rows: number): Promise<void> {
  const settings = {
    apiBaseUrl: 'https://api.github.com',
    defaultRepo: 'acme/shop',
    labels: [],
    dailyCap: 20,
    firstRunSummary: true,
    allowedTargets: [],
  };
  await store.write(async (transaction) => {
    await transaction
      .insertInto('channels')
      .values({
        ...{ id: 'main', kind: 'github', name: 'main', enabled: 1, settings: JSON.stringify(settings) },
        ...{ subscriptions: '["critical_finding"]', created_at: AT, place: 1, version: 1, updated_at: AT },
      })
      .execute();
    for (let image = 1; image <= rows / PER_IMAGE; image += 1) {
      const digest = `sha256:${image.toString(16).padStart(64, '0')}`;
      const each = Array.from({ length: PER_IMAGE }, (_, n) => ({ n, cve: `CVE-2026-${n}` }));
      await transaction
        .insertInto('scans')
        .values({ id: image, digest, scanner: 'trivy', recorded_at: AT, complete: 1, current: 1 })
        .execute();
      const found = { scan_id: image, severity: 'CRITICAL', rank: 4, package: 'openssl', installed: '1.0' };
      await transaction
        .insertInto('findings')
        .values(each.map(({ n, cve }) => ({ ...found, ordinal: n, cve })))
        .execute();
      const seen = { first_seen_at: AT, last_seen_at: AT };
      await transaction
        .insertInto('running_images')
        .values({ digest, cluster: 'prod', namespace: 'shop', workload: `deployment/app-${image}`, ...seen })
        .execute();
      const row = {
        kind: 'finding',
        digest,
        channel_id: 'main',
        channel_kind: 'github',
        clusters: '["prod"]',
      };
      const stands = { state: 'open', claimed_at: AT, opened_at: AT, found_scanner: 'trivy', generation: 1 };
      const filed = { attempts: 1, summary: 0, issue_left_open: 0 };
      await transaction
        .insertInto('tracking')
        .values(
          each.map(({ n, cve }) => {
            const key = `acme/shop#${image * PER_IMAGE + n}`;
            const issue = { issue_key: key, issue_url: `https://github.com/${key}`, issue_id: key };
            return { ...row, ...stands, ...filed, ...issue, cve, marker: `ipo-1-${key}` };
          }),
        )
        .execute();
    }
  });
}

async function openSweep(file: string, rows: number): Promise<{ sweep: Sweep; parts: TrackerParts }> {
  const store = await openStore({ url: `sqlite:${file}` });
  await fill(store, rows);
  const fence = await raiseFence(store, 'bench', now);
  const clock = { now: () => now, monotonic: () => now };
  const filing = filingStore(store);
  const called = (): never => {
    calls += 1;
    throw new Error('a provider was called');
  };
  const parts: TrackerParts = {
    filing,
    sweeps: sweepStore(store),
    continuations: continuationStore(store),
    running: runningImages(store),
    channels: channelStore(store),
    credentials: { open: called },
    factory: { open: called },
    writer: { open: called, close: called, targets: called },
    markers: openMarkers(randomBytes(32), 'bench'),
    leader: { isLeader: () => true, fence: () => fence },
    clock,
    steady: new SteadyClock(filing, clock),
    breaker: new Breaker(),
    newId: () => randomBytes(16).toString('hex'),
    log: quiet,
    count: { add: () => {} },
  };
  return { sweep: new Sweep(parts), parts };
}

/** Processor time of a sweep, in milliseconds. */
async function timed(sweep: Sweep, rows: number): Promise<number> {
  const begun = process.cpuUsage();
  const report = await sweep.run();
  const { user, system } = process.cpuUsage(begun);
  if (report.rows !== rows) throw new Error(`${report.rows} of ${rows} rows were judged`);
  return (user + system) / 1000;
}

/** What a sweep holds from one page to the next; collecting takes longer than a page. */
async function heldBy({ sweep, parts }: Awaited<ReturnType<typeof openSweep>>): Promise<number> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('start it with --expose-gc');
  collect();
  const before = process.memoryUsage().heapUsed;
  const { openAfter } = parts.sweeps;
  let held = 0;
  let pages = 0;
  Object.assign(parts.sweeps, {
    openAfter: async (id: number) => {
      if (++pages % 20 === 0) {
        collect();
        held = Math.max(held, process.memoryUsage().heapUsed - before);
      }
      return openAfter(id);
    },
  });
  await sweep.run();
  return held;
}

const [fewFile = '', fewRows = '', manyFile = '', manyRows = ''] = process.argv.slice(2);
const few = await openSweep(fewFile, Number(fewRows));
const many = await openSweep(manyFile, Number(manyRows));
const rounds: { few: number; many: number }[] = [];
for (let round = -1; round < ROUNDS; round += 1) {
  now += MINUTES;
  const small = await timed(few.sweep, Number(fewRows));
  const large = await timed(many.sweep, Number(manyRows));
  const again = await timed(few.sweep, Number(fewRows));
  if (round >= 0) rounds.push({ few: (small + again) / 2, many: large }); // the first warms up
}
const ratios = rounds.map((round) => round.many / round.few).toSorted((a, b) => a - b);
const figures = {
  few: Math.min(...rounds.map((round) => round.few)),
  many: Math.min(...rounds.map((round) => round.many)),
  worst: ratios.at(-1),
  median: ratios[ratios.length >> 1],
  held: await heldBy(many),
  calls,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
