import { imageRoutes, openApi, vulnerabilityRoutes } from '../src/api/index.ts';
import { severityRank, type Finding } from '../src/findings/index.ts';
import { openImages } from '../src/inventory/index.ts';
import {
  auditLog,
  imageStore,
  ledgerWriter,
  openStore,
  scanQueue,
  scanStore,
  triageStore,
  vulnerabilityStore,
  type Store,
} from '../src/store/index.ts';

/**
 * Measures the lists of images and of vulnerabilities over two databases that take turns, so that what else the machine does hits both:
 * `inventory-measure.ts FEW_URL IMAGES MANY_URL IMAGES`. Prints one JSON line.
 */
const ROUNDS = 7;
const PER_IMAGE = 300;
const AT = Date.UTC(2026, 10, 21, 9);
const SCANNED = '2026-11-20T02:00:00Z';
/** Images that are recorded in one transaction. */
const GROUP = 50;

/** A generator of numbers below 1 that gives the same ones in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'HIGH', 'MEDIUM', 'MEDIUM', 'MEDIUM', 'LOW', 'LOW'] as const;

function findingOf(cve: number): Finding {
  const severity = SEVERITIES[(cve * 7) % SEVERITIES.length] ?? 'LOW';
  return {
    cve: `CVE-${2016 + (cve % 11)}-${10_000 + cve}`,
    severity,
    rank: severityRank(severity) ?? 0,
    package: `lib${((cve * 31) % 4000).toString(36)}-runtime`,
    installed: '1.2.3-4+deb13u1',
    fixed: cve % 3 === 0 ? null : '1.2.3-5+deb13u2',
    knownExploited: cve % 40 === 0,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
  };
}

/** Most findings of an image are those of one of twenty bases, the others its own; few CVEs are in most images. */
function findingsOf(image: number): Finding[] {
  const base = numbers(1 + (image % 20));
  const own = numbers(1000 + image);
  const cves = new Set<number>();
  while (cves.size < PER_IMAGE * 0.8) cves.add(Math.floor(base() * 6000));
  while (cves.size < PER_IMAGE) cves.add(6000 + Math.floor(own() ** 3 * 20_000));
  return [...cves].map(findingOf);
}

const digestOf = (image: number): string =>
  `sha256:${(image * 2_654_435_761).toString(16).padStart(64, '0')}`;

const TEAMS = ['payments', 'search', 'checkout', 'identity', 'media', 'ledger', 'fraud', 'mail'];
const nameOf = (image: number): string =>
  `registry.shop.example/${TEAMS[image % TEAMS.length]}/service-${image % 997}:v1.${image}`;

/** A database that has images already is one that a run before left to be measured again. */
async function fill(store: Store, images: number): Promise<void> {
  const kept = await imageStore(store).item(digestOf(0));
  if (kept !== null) return;
  const scans = scanStore(store);
  const writer = ledgerWriter(store);
  for (let from = 0; from < images; from += GROUP) {
    const group = Array.from({ length: Math.min(GROUP, images - from) }, (_, i) => from + i);
    await store.write(async () => {
      for (const image of group)
        await scans.record({
          digest: digestOf(image),
          names: [nameOf(image)],
          source: null,
          scan: {
            scannedAt: SCANNED,
            scanner: { name: 'trivy', version: '0.72.0', dbUpdatedAt: null },
            os: { family: 'debian', name: '13.1', eosl: false },
            findings: findingsOf(image),
          },
          at: AT,
        });
    });
    await writer.appendAll(
      group.map((image) => ({
        uid: `00000000-0000-4000-8000-${String(image).padStart(12, '0')}`,
        rows: [
          {
            at: AT,
            namespace: TEAMS[image % TEAMS.length] ?? '',
            pod: 'web-1',
            container: 'web',
            image: nameOf(image),
            digest: digestOf(image),
            allowed: image % 10 !== 0,
            reason: '',
          },
        ],
      })),
    );
  }
  const triage = triageStore(store);
  for (let image = 0; image < images; image += 20)
    await triage.create({
      digest: digestOf(image),
      cve: findingsOf(image)[5]?.cve ?? '',
      severity: 'HIGH',
      reason: 'not reachable',
      triagedBy: 'user:ada',
      accountId: null,
      createdAt: AT,
      until: AT + 86_400_000 * 30,
    });
}

/** What is asked, page by page of fifty. */
const ASKED: Readonly<Record<string, string>> = {
  'GET /images?limit=50': '/images?limit=50',
  'images of a state': '/images?limit=50&filter=Compliant',
  'images by name': '/images?limit=50&sort=name',
  'images by findings': '/images?limit=50&sort=findings',
  'images by last review': '/images?limit=50&sort=last_seen',
  'images, search of few': '/images?limit=50&q=service-77:',
  'images, search of many': '/images?limit=50&q=checkout',
  'images, search of none': '/images?limit=50&q=nothing-such',
  'images, search, by name': '/images?limit=50&q=media&sort=name',
  'GET /vulnerabilities?limit=50': '/vulnerabilities?limit=50',
  'vulnerabilities by images': '/vulnerabilities?limit=50&sort=images',
  'vulnerabilities by id': '/vulnerabilities?limit=50&sort=cve',
  'vulnerabilities, critical and high': '/vulnerabilities?limit=50&severity=CRITICAL,HIGH',
  'vulnerabilities, exploited': '/vulnerabilities?limit=50&known_exploited=true',
  'vulnerabilities, not triaged': '/vulnerabilities?limit=50&triaged=false',
  'vulnerabilities, search of an id': '/vulnerabilities?limit=50&q=CVE-2021-1234',
  'vulnerabilities, search of a package': '/vulnerabilities?limit=50&q=lib1a-',
  'vulnerabilities, search of many, by images': '/vulnerabilities?limit=50&q=runtime&sort=images',
  'vulnerabilities, search of none': '/vulnerabilities?limit=50&q=nothing-such',
  'vulnerabilities of an image': `/vulnerabilities?limit=50&image=${digestOf(7)}`,
};

const clock = { now: () => AT };
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const somebody = { accountId: 'bench', name: 'bench', role: 'viewer', via: 'token', tokenId: null } as const;

interface Served {
  /** Milliseconds of one request, the mean of some that take about twenty together. */
  cost(path: string): Promise<number>;
  get(path: string): Promise<{ readonly total: number }>;
  close(): Promise<void>;
}

async function serve(url: string, count: number): Promise<Served> {
  const store = await openStore({ url });
  await fill(store, count);
  const images = openImages({
    store: imageStore(store),
    policies: async () => ({ policies: [], key: 'none' }),
    coldImagePolicy: 'AllowAndScan',
    clock,
  });
  await images.refresh();
  const shared = { audit: auditLog(store, clock), clock, images, together: store.write };
  const api = openApi({
    signIn: { cookies: [], principalOf: async () => somebody, holdOrigin: () => {} },
    log: quiet,
    routes: [
      ...imageRoutes({ ...shared, scanQueue: scanQueue(store) }),
      ...vulnerabilityRoutes({ ...shared, vulnerabilities: vulnerabilityStore(store) }),
    ],
  });
  const { port } = await api.listen('127.0.0.1', 0);
  const get = async (path: string): Promise<{ total: number }> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { authorization: 'Bearer bench' },
    });
    const body = (await answer.json()) as { total: number };
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    get,
    async cost(path) {
      let calls = 0;
      const began = performance.now();
      do {
        await get(path);
        calls += 1;
      } while (performance.now() - began < 20);
      return (performance.now() - began) / calls;
    },
    async close() {
      await api.close(0);
      await store.close();
    },
  };
}

/** Bytes of the heap that pages of a list add at most, once what nobody needs is gone. */
async function heldWhilePaging({ get }: Served, path: string): Promise<number> {
  const gc = globalThis.gc ?? (() => {});
  const { total } = await get(`${path}?limit=50`);
  gc();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (let offset = 0; offset < total; offset += 50) {
    await get(`${path}?limit=50&offset=${offset}`);
    if (offset % 1000 !== 0) continue;
    gc();
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  return most;
}

const [fewUrl = '', fewImages = '', manyUrl = '', manyImages = ''] = process.argv.slice(2);
const few = await serve(fewUrl, Number(fewImages));
const many = await serve(manyUrl, Number(manyImages));
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const lists: Record<string, { few: number; many: number; ratio: number }> = {};
for (const [name, path] of Object.entries(ASKED)) {
  await few.cost(path);
  await many.cost(path);
  const rounds: { few: number; many: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? few : many;
    const one = await first.cost(path);
    const other = await (first === few ? many : few).cost(path);
    rounds.push(first === few ? { few: one, many: other } : { few: other, many: one });
  }
  lists[name] = {
    few: median(rounds.map((round) => round.few)),
    many: median(rounds.map((round) => round.many)),
    ratio: median(rounds.map((round) => round.many / round.few)),
  };
}
const held = Math.max(
  await heldWhilePaging(many, '/images'),
  await heldWhilePaging(many, '/vulnerabilities'),
);
process.stdout.write(`${JSON.stringify({ lists, held })}\n`);
await few.close();
await many.close();
