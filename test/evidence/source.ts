import { generateKeyPairSync } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { formatTime } from '../../src/base/index.ts';
import {
  makePackage,
  toEvidenceSigner,
  toRequest,
  type EvidenceDocument,
  type EvidenceSource,
  type Scratch,
} from '../../src/evidence/index.ts';
import type { EvidenceWish } from '../../src/evidence/request.ts';
import { exportLines, verifyExport, type LedgerRow, type RecordedPolicy } from '../../src/ledger/index.ts';

export const DAY = 86_400_000;
export const FROM = Date.UTC(2026, 9, 1);
export const TO = Date.UTC(2026, 9, 31);
export const NOW = Date.UTC(2026, 10, 5);

const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
export const SIGNER = toEvidenceSigner(KEY, 'test key');

/** A scratch in memory. */
export const memory: Scratch = {
  open: async () => {
    const chunks: Uint8Array[] = [];
    return {
      write: async (bytes) => void chunks.push(Uint8Array.from(bytes)),
      end: async () =>
        async function* read() {
          yield* chunks;
        },
    };
  },
};

const digest = (n: number): string => `sha256:${String(n).repeat(64).slice(0, 64)}`;
const at = fc.integer({ min: FROM - 3 * DAY, max: TO + 3 * DAY });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });

const spec = fc.record({
  enforcement: fc.constantFrom('Audit', 'Enforce'),
  targetNamespaces: fc.constantFrom([], ['shop'], ['pay']),
  signature: fc.constantFrom({ required: false }, { required: true, identities: [{ identity: 'a@b.c' }] }),
  provenance: fc.constantFrom(
    { minLevel: 0 },
    { minLevel: 2, trustedBuilders: [{ id: 'https://b', level: 3 }] },
  ),
  knownExploited: fc.constantFrom('block', 'warn'),
  endOfLifeOS: fc.constantFrom('block', 'ignore'),
  vex: fc.constantFrom({ mode: 'ignore' }, { mode: 'apply', trustedIssuers: [{ identity: 'p@q.r' }] }),
  deploymentContext: fc.constantFrom({ mode: 'Ignore' }, { mode: 'Escalate' }),
});

const policies: fc.Arbitrary<readonly RecordedPolicy[]> = fc
  .array(fc.tuple(spec, fc.boolean(), maybe(at), maybe(at), fc.boolean()), { minLength: 1, maxLength: 4 })
  .map((all) =>
    all.map(([body, current, from, until, sla], i) => ({
      name: `p${i}`,
      revision: String(i).repeat(64),
      current,
      document: {
        apiVersion: 'ipo.dev/v1',
        kind: 'ImagePolicy',
        metadata: { name: `p${i}` },
        spec: { ...body, ...(sla && { sla: { critical: '24h' } }) },
      },
      ...(from !== null && { inForce: [{ from, until: until !== null && until > from ? until : null }] }),
    })),
  );

const review = fc.record({
  kind: fc.constantFrom('review', 'review', 'review', 'unreviewed', 'reconcile'),
  namespace: fc.constantFrom('shop', 'pay', 'kube-system'),
  allowed: fc.boolean(),
  bypass: fc.boolean(),
  reason: maybe(fc.constantFrom('=1+1', 'down, "now"', 'x')),
  person: maybe(fc.constant('k8s-user:0011223344556677')),
  digests: fc.array(maybe(fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 2 }),
  revision: fc.integer({ min: 0, max: 4 }),
  time: at,
});

const rows = fc.array(review, { maxLength: 30 }).map((reviews) => {
  const found: LedgerRow[] = [];
  const ordered = reviews.toSorted((a, b) => a.time - b.time);
  ordered.forEach((one, n) => {
    const isPod = one.kind === 'unreviewed';
    for (const d of isPod ? [null] : one.digests) {
      const bypass = one.bypass && one.kind === 'review';
      found.push({
        id: found.length + 1,
        kind: one.kind,
        time: formatTime(one.time),
        review_uid: one.kind === 'review' ? `review-${n}` : null,
        cluster: 'c1',
        namespace: one.namespace,
        pod: `pod-${n}`,
        pod_uid: `uid-${n}`,
        container: 'main',
        image: isPod ? null : 'registry/a:1',
        digest: d === null ? null : digest(d),
        allowed: one.allowed || bypass || isPod,
        review_allowed: one.allowed || bypass || isPod,
        reason: '',
        policy: 'p',
        policy_revision: String(one.revision).repeat(64),
        break_glass: bypass,
        break_glass_reason: bypass ? one.reason : null,
        requester: one.person,
        pod_level: isPod,
        label: null,
        signals: [],
        exposed_by: null,
        subresource: null,
        inputs: null,
      });
    }
  });
  return found.toReversed();
});

const finding = fc.record({
  digest: fc.integer({ min: 1, max: 3 }).map(digest),
  image: maybe(fc.constant('registry/a:1')),
  cve: fc.constantFrom('CVE-2026-1', 'CVE-2026-2'),
  severity: fc.constantFrom('CRITICAL', 'LOW'),
  worst: fc.constantFrom('CRITICAL', 'HIGH', 'LOW'),
  package: maybe(fc.constantFrom('-p', '@scope/x')),
  fixed_version: maybe(fc.constant('1.0')),
  first_seen_at: at,
  older: fc.boolean(),
  fixable_at: maybe(at),
  exploited_at: maybe(at),
  exploited_until: fc.constant(null),
  exploited_while_running_at: maybe(at),
  ran: fc.boolean(),
  ended_at: maybe(at),
  ended: fc.constantFrom('fixed', 'triaged', 'image_retired', 'platform_retired'),
  superseded_by: maybe(fc.constant(digest(2))),
  successor_has_cve: maybe(fc.boolean()),
});

const issue = fc.record({
  id: fc.nat(),
  kind: fc.constantFrom('finding', 'finding', 'runtime'),
  cve: maybe(fc.constant('CVE-2026-1')),
  rule: fc.constant(null),
  digest: fc.constant(digest(1)),
  image: fc.constant(null),
  severity: fc.constant('CRITICAL'),
  tracker: fc.constant('github'),
  issue: fc.constant('1'),
  url: fc.constant('https://tracker.example/1'),
  clusters: fc.constantFrom([], ['c1', 'c2']),
  opened_at: at,
  closed_at: maybe(at),
  state: fc.constant('open'),
  reason: maybe(fc.constantFrom('fixed', 'triaged', 'image_retired')),
  hours_open: fc.constant(null),
  window_hours: fc.constant(null),
  inside_window: fc.constant(null),
  returned_at: maybe(at),
  superseded_by: maybe(fc.constant(digest(2))),
  successor_has_cve: maybe(fc.boolean()),
});

const triage = fc.record({
  id: fc.nat(),
  digest: fc.integer({ min: 1, max: 3 }).map(digest),
  image: fc.constant(null),
  cve: fc.constant('CVE-2026-1'),
  severity: fc.constant('HIGH'),
  reason: fc.string(),
  decided_by: fc.constant('user:1'),
  decided_at: at,
  until: fc.constant(NOW),
  ended_at: fc.constant(null),
});

const image = fc.record({
  digest: fc.integer({ min: 1, max: 3 }).map(digest),
  image: fc.constant(null),
  cluster: fc.constant('c1'),
  first_seen_at: fc.constant(FROM),
  last_seen_at: at,
  ended_at: fc.constant(null),
  scanned_at: maybe(at),
});

const day = fc.record({
  cluster: fc.constantFrom('c1', 'c2'),
  day: fc.integer({ min: FROM / DAY, max: TO / DAY }),
  answered: maybe(fc.nat({ max: 1440 })),
  sweeps: fc.nat({ max: 24 }),
  partialSweeps: fc.nat({ max: 2 }),
  accountedSweeps: fc.nat({ max: 24 }),
  detectorEvents: fc.nat({ max: 2 }),
  detectorHeartbeats: fc.nat({ max: 1 }),
});

const list = <T>(one: fc.Arbitrary<T>) => fc.option(fc.array(one, { maxLength: 12 }), { nil: null, freq: 6 });

/** A random service, and its package. */
export const worlds = fc.record({
  policies,
  rows,
  findings: list(
    finding.map((one) => ({
      ...one,
      ended: one.ended_at === null ? null : one.ended,
      exploited_while_running_at: one.exploited_at === null ? null : one.exploited_while_running_at,
    })),
  ),
  issues: list(
    issue.map((one) => ({
      ...one,
      reason: one.closed_at === null ? null : one.reason,
    })),
  ),
  triage: list(triage),
  images: list(image),
  days: list(day).map((all) =>
    all === null ? null : [...new Map(all.map((one) => [`${one.cluster} ${one.day}`, one])).values()],
  ),
  tracker: fc.option(fc.boolean(), { nil: null }),
  anchors: fc.option(
    fc.array(
      fc.record({
        sink: fc.constant('s3'),
        size: fc.nat({ max: 3 }),
        at,
        refused: maybe(fc.constant('shorter')),
      }),
      { maxLength: 2 },
    ),
    { nil: null },
  ),
  detectorSince: maybe(at),
  sweptSince: maybe(fc.constantFrom(FROM - DAY, FROM + DAY, TO)),
});

type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never;

async function* one<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  if (items.length > 0) yield items;
}

/** sourceOf gives a world as the source of a package. */
export function sourceOf(world: World): EvidenceSource {
  const header = {
    exportedAt: NOW,
    cluster: 'c1',
    coldImagePolicy: 'AllowAndScan',
    rows: world.rows.length,
    images: 0,
    from: formatTime(FROM),
    to: formatTime(TO),
  } as const;
  return {
    facts: {
      kind: 'service',
      organisation: { name: 'Shop', contact: null, declarations: [] },
      versions: { service: '0.0.0', scanner: { name: 'trivy', version: '0.72.0', databaseAt: NOW - DAY } },
      nodes: { count: null, ceiling: 3 },
      exemptNamespaces: ['kube-system'],
      days: world.days,
      began: [
        ...(world.detectorSince === null
          ? []
          : [{ record: 'detector', cluster: 'c1', at: world.detectorSince }]),
        ...(world.sweptSince === null ? [] : [{ record: 'sweeps', cluster: 'c1', at: world.sweptSince }]),
      ],
      clusters: [
        { name: 'c1', lastSeenAt: NOW },
        { name: 'c9', lastSeenAt: FROM + DAY },
      ],
      tracker: world.tracker,
      rescanHours: 24,
      mutes: {
        total: 1,
        items: [
          {
            ...{
              id: 1,
              channel: 'c'.repeat(16),
              name: 'on-call',
              kind: 'slack',
              reason: 'the room is moved',
            },
            ...{ mutedAt: FROM + DAY, until: FROM + 2 * DAY, endedAt: null },
            ...{ mutedBy: 'user:abcdefghijklmnop', unmutedBy: null },
          },
        ],
      },
      runtime: {
        rules: [],
        policies: [],
        events: 0,
        joined: {},
        by_effect: {},
        stops: {},
        decisions_total: 0,
        decisions: [],
        raw: null,
      },
      ledger: { rows: world.rows.length, anchors: world.anchors },
      publicUrl: 'https://ipo.example',
    },
    rows: {
      policies: world.policies,
      async *lines(take) {
        take(world.rows);
        yield* exportLines({ header, policies: world.policies, images: [], rows: [world.rows] });
      },
    },
    issues: () => (world.issues === null ? null : one(world.issues)),
    findings: () => (world.findings === null ? null : one(world.findings)),
    triage: () => (world.triage === null ? null : one(world.triage)),
    images: () => (world.images === null ? null : one(world.images)),
  };
}

/** Scope is what of a source is asked for. */
type Scope = Partial<Pick<EvidenceWish, 'from' | 'to' | 'frameworks' | 'clusters' | 'namespaces'>>;

/** documentOf gives `evidence.json` of the package of a source. */
export async function documentOf(source: EvidenceSource, scope: Scope = {}): Promise<EvidenceDocument> {
  return (await make(source, scope)).document;
}

/** packageOf makes the package of a source and gives its bytes. */
export async function packageOf(source: EvidenceSource, scope: Scope = {}): Promise<Buffer> {
  const made = await make(source, scope);
  const bytes: Uint8Array[] = [];
  for await (const chunk of made.archive()) bytes.push(chunk);
  return Buffer.concat(bytes);
}

function make(source: EvidenceSource, scope: Scope = {}): ReturnType<typeof makePackage> {
  return makePackage({
    source,
    request: toRequest({ from: FROM, to: TO, frameworks: ['essential-eight'], ...scope }, NOW),
    at: NOW,
    signer: SIGNER,
    scratch: memory,
    checkpoint: () => null,
    verifyRows: async (chunks) => {
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      return verifyExport(one2(gunzipSync(Buffer.concat(all))), 'rows', { keys: [], kept: [] });
    },
  });
}

async function* one2(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
