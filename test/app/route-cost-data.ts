import { sha256Hex } from '../../src/base/index.ts';
import { severityRank, type Finding } from '../../src/findings/index.ts';
import type { LedgerEntry } from '../../src/ledger/index.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import { insertMany } from '../../src/store/sql/dialect.ts';
import {
  importFacts,
  ledgerWriter,
  openStore,
  policyStore,
  runtimePolicyStore,
  type Store,
} from '../../src/store/index.ts';

/** Sizes are how much of everything the service holds whose routes are measured. */
export interface Sizes {
  readonly rows: number;
  readonly images: number;
  readonly findings: number;
  readonly audit: number;
  readonly tracking: number;
  readonly policies: number;
  readonly accounts: number;
  readonly events: number;
}

/** SIZES are `full`, which the figures are stated for, and `small`, which is filled within seconds. */
export const SIZES = {
  full: {
    ...{ rows: 1_000_000, images: 10_000, findings: 100, audit: 200_000 },
    ...{ tracking: 10_000, policies: 300, accounts: 2_000, events: 200_000 },
  },
  small: {
    ...{ rows: 10_000, images: 200, findings: 20, audit: 4_000 },
    ...{ tracking: 2_000, policies: 60, accounts: 200, events: 4_000 },
  },
} as const satisfies Readonly<Record<string, Sizes>>;

/** GONE is a channel that was deleted, whose rows of the tracking history are open. */
export const GONE = 'gonegonegonegone';

const HOUR = 3_600_000;
const ROW_GROUP = 5_000;
const IMAGE_GROUP = 50;
const TEAMS = ['payments', 'search', 'checkout', 'identity', 'media', 'fraud', 'mail'];

/** imageOf names an image by its number. */
export const imageOf = (n: number): string =>
  `registry.shop.example/${TEAMS[n % TEAMS.length]}/service-${n}:1.${n % 30}`;

/** digestOf is the digest of an image by its number. */
export const digestOf = (n: number): string => `sha256:${sha256Hex(`cost ${n}`)}`;

/** cveOf is the CVE of a finding by the image and its place: four of five come from one of twenty bases. */
export const cveOf = (image: number, place: number): string =>
  place % 5 === 4
    ? `CVE-2025-${100_000 + image * 20 + place}`
    : `CVE-2024-${10_000 + (image % 20) * 50 + place}`;

function findingOf(image: number, place: number): Finding {
  const severity = (['CRITICAL', 'HIGH', 'MEDIUM', 'MEDIUM', 'LOW'] as const)[place % 5] ?? 'LOW';
  return {
    ...{ cve: cveOf(image, place), severity, rank: severityRank(severity) ?? 0 },
    ...{ package: `lib${place}-runtime`, installed: '1.2.3-4+deb13u1' },
    fixed: place % 3 === 0 ? null : '1.2.3-5+deb13u2',
    ...{ knownExploited: false, triagedUntil: null, triagedUntilMs: -Infinity },
  };
}

/** fillForCosts makes a database of that size, as years of use leave it; `now` is the time of the newest row. */
export async function fillForCosts(url: string, sizes: Sizes, now: number): Promise<void> {
  const store = await openStore({ url });
  await addPolicies(store, sizes, now);
  await addImages(store, sizes, now);
  await addRows(store, sizes, now);
  await addTracking(store, sizes, now);
  await addPeople(store, sizes, now);
  await addEvents(store, sizes, now);
  await store.close();
}

/** The first few are as long as a document may be. */
async function addPolicies(store: Store, { policies }: Sizes, at: number): Promise<void> {
  for (let n = 0; n < policies; n += 1) {
    const { name, revision, document } = policyOf(n, n < 3 ? 250 : 20);
    await policyStore(store).create({ name, revision, document, at, by: null });
    const runtime = runtimePolicyOf(n, n < 3 ? 200 : 5);
    await runtimePolicyStore(store).create({ name, revision, document: runtime, at, by: null });
  }
}

/** runtimePolicyOf makes a runtime policy of a number about so many rules of the detector. */
export function runtimePolicyOf(n: number, rules: number): Record<string, unknown> {
  return {
    ...{ apiVersion: 'ipo.dev/v1', kind: 'RuntimePolicy', metadata: { name: `policy-${n}` } },
    spec: {
      targetNamespaces: [`team-${n}`],
      match: {
        rules: Array.from({ length: rules }, (_, i) => `Rule ${i} of the detector ${'x'.repeat(200)}`),
      },
    },
  };
}

/** policyOf makes a policy of a number with so many registries. */
export function policyOf(
  n: number,
  registries: number,
): { readonly name: string; readonly revision: string; readonly document: Record<string, unknown> } {
  const document = {
    ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: `policy-${n}` } },
    spec: {
      ...{ enforcement: 'Enforce', severityThreshold: 'CRITICAL', targetNamespaces: [`team-${n}`] },
      allowedRegistries: Array.from(
        { length: registries },
        (_, i) => `registry-${i}.shop.example/team-${n}/${'of-a-longer-path/'.repeat(10)}app`,
      ),
    },
  };
  const read = parsePolicies(JSON.stringify(document), 'cost.json').policies[0];
  if (read === undefined) throw new Error('the policy is not valid');
  return { name: read.policy.name, revision: read.policy.revision, document };
}

async function addImages(store: Store, { images, findings }: Sizes, at: number): Promise<void> {
  const scannedAt = new Date(at - HOUR).toISOString();
  for (let from = 0; from < images; from += IMAGE_GROUP)
    await store.write(async (transaction) => {
      for (let n = from; n < Math.min(images, from + IMAGE_GROUP); n += 1)
        await importFacts(
          transaction,
          {
            ...{ digest: digestOf(n) as `sha256:${string}`, names: [imageOf(n)] },
            scan: {
              ...{ scannedAt, scanner: { name: 'trivy', version: '0.72.0', dbUpdatedAt: scannedAt } },
              os: { family: 'debian', name: '13.1', eosl: false },
              findings: Array.from({ length: findings }, (_, place) => findingOf(n, place)),
            },
            ...{ signatures: [], attestations: [], provenance: [], vex: [] },
          },
          at - HOUR,
        );
    });
}

/** Rows of 30 days, one review a row, over all images. */
async function addRows(store: Store, { rows, images, policies }: Sizes, now: number): Promise<void> {
  const writer = ledgerWriter(store);
  const step = (30 * 24 * HOUR) / rows;
  const entry = (n: number): LedgerEntry => {
    const [image, allowed] = [(n * 7) % images, n % 9 !== 0];
    const uid = `${n.toString(16).padStart(8, '0')}-1111-4222-8333-${String(n).padStart(12, '0')}`;
    return {
      uid,
      rows: [
        {
          ...{ at: Math.floor(now - (rows - 1 - n) * step), kind: 'review', cluster: 'shop-eu-1' },
          ...{ namespace: `team-${image % 50}`, pod: `service-${image}-${n.toString(36)}`, container: 'app' },
          ...{ pod_uid: uid.replace('1111', '2222'), image: imageOf(image), digest: digestOf(image) },
          ...{ allowed, review_allowed: allowed, label: allowed ? null : 'threshold' },
          reason: allowed ? '' : `vulnerabilities at or above CRITICAL: ${cveOf(image, 0)}`,
          ...{ policy: `policy-${image % policies}`, policy_revision: 'a'.repeat(64), signals: ['root'] },
          ...{ requester: 'system:serviceaccount:kube-system:replicaset-controller', inputs: 'b'.repeat(64) },
        },
      ],
    };
  };
  for (let from = 0; from < rows; from += ROW_GROUP)
    await writer.appendAll(
      Array.from({ length: Math.min(ROW_GROUP, rows - from) }, (_, i) => entry(from + i)),
    );
}

/** Half of the rows are open and belong to a channel that is gone, the others are closed. */
async function addTracking(store: Store, { tracking, images }: Sizes, now: number): Promise<void> {
  const texts = ['kind', 'digest', 'cve', 'channel_id', 'channel_kind', 'clusters', 'state', 'marker'];
  texts.push('issue_key', 'issue_url', 'issue_id', 'found_scanner');
  const types: Record<string, 'text' | 'integer'> = {
    ...Object.fromEntries(texts.map((name) => [name, 'text'] as const)),
    ...{ claimed_at: 'integer', opened_at: 'integer' },
  };
  await store.write((transaction) =>
    insertMany(
      transaction,
      'tracking',
      types,
      Array.from({ length: tracking }, (_, n) => {
        const key = `team/shop#${n}`;
        const at = now - HOUR - ((n * 977) % (60 * 24)) * HOUR;
        const of = [
          digestOf(n % images),
          cveOf(n % images, 5 * Math.floor(n / images)),
          GONE,
          'github',
          '["prod"]',
        ];
        const issue = [`ipo-1-${n}`, key, `https://tracker.invalid/${key}`, String(n), 'trivy'];
        return ['finding', ...of, n % 2 === 0 ? 'open' : 'closed', ...issue, at, at];
      }),
    ),
  );
}

/** Accounts, and an audit log in which each of them did things. */
async function addPeople(store: Store, { accounts, audit }: Sizes, now: number): Promise<void> {
  await store.write(async (transaction) => {
    await insertMany(
      transaction,
      'accounts',
      {
        id: 'text',
        email: 'text',
        name: 'text',
        role: 'text',
        created_at: 'integer',
        disabled_at: 'integer',
      },
      Array.from({ length: accounts }, (_, n) => [
        ...[accountId(n), `person-${n}@example.com`, `Person Number ${n}`, 'viewer', now - HOUR, now],
      ]),
    );
    await insertMany(
      transaction,
      'audit',
      {
        at: 'integer',
        actor_id: 'text',
        actor: 'text',
        action: 'text',
        target: 'text',
        path: 'text',
        detail: 'text',
      },
      Array.from({ length: audit }, (_, n) => [
        ...[now - (audit - n) * 10_000, accountId(n % accounts), `Person Number ${n % accounts}`],
        ...['triage_create', digestOf(n % 100), 'POST /api/v1/triage'],
        JSON.stringify({ id: n, cve: cveOf(n % 100, 1), by: `Person Number ${(n * 3) % accounts}` }),
      ]),
    );
  });
}

/** Events of the runtime detector, as they are decided. */
async function addEvents(store: Store, { events, images }: Sizes, now: number): Promise<void> {
  const texts = [
    'rule',
    'priority',
    'output',
    'fields',
    'digest',
    'image',
    'namespace',
    'effect',
    'event_key',
  ];
  const types = {
    ...Object.fromEntries(texts.map((name) => [name, 'text'] as const)),
    ...({ at: 'integer', decided_at: 'integer' } as const),
  };
  await store.write((transaction) =>
    insertMany(
      transaction,
      'runtime_events',
      types,
      Array.from({ length: events }, (_, n) => [
        ...[`Rule ${n % 90}`, n % 10 === 0 ? 'Error' : 'Notice', 'A shell was run '.repeat(20)],
        JSON.stringify({ 'proc.name': 'sh', 'proc.cmdline': `sh -c ${n}`, 'evt.time': now }),
        ...[digestOf(n % images), imageOf(n % images), `team-${n % 50}`, 'record', `event ${n}`],
        ...[now - (events - n) * 1000, now],
      ]),
    ),
  );
}

/** accountId is the id of an account by its number. */
export const accountId = (n: number): string =>
  [...n.toString().padStart(16, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('');
