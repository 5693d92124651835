import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { DAY_MS, sha256Hex } from '../src/base/index.ts';
import { LedgerTree, toSigner, type LedgerEntry } from '../src/ledger/index.ts';
import { parsePolicies } from '../src/policy/index.ts';
import {
  importFacts,
  ledgerTree,
  ledgerWriter,
  openStore,
  policyStore,
  type Store,
} from '../src/store/index.ts';
import { IN_FORCE } from './big-ledger.ts';

/** ENDS_AT is the time of the newest row of a store that was built. */
export const ENDS_AT = Date.parse('2026-11-20T06:00:00Z');
/** ROWS_A_DAY is what a cluster admits: 3.3 million rows in 30 days. */
export const ROWS_A_DAY = 110_000;
/** Rows that are written in one transaction while a store is built. */
const GROUP = 4096;
const NAMESPACES = [
  'storefront',
  'checkout',
  'payments',
  'catalog',
  'search',
  'platform',
  'data',
  'monitoring',
];
const SIGNALS = [[], [], [], ['root'], ['root', 'exposed'], ['privileged', 'root', 'hostNamespace']];
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

const IMAGES = Array.from({ length: 400 }, (_, i) => ({
  name: `registry.shop.example/team-${i % 23}/service-${i}`,
  image: `registry.shop.example/team-${i % 23}/service-${i}:1.${i % 30}.${i % 7}`,
  digest: `sha256:${sha256Hex(`image ${i}`)}`,
}));

let state = 7;
/** A small linear congruential generator: the same numbers on every machine. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 4_294_967_296;
}

/** reviewAt makes the review of one pod with one image, as a busy cluster sends them. */
export function reviewAt(at: number, n: number, revision: string): LedgerEntry {
  const number = Math.floor(random() ** 2 * IMAGES.length); // some services are deployed far more often than others
  const { image, digest } = IMAGES[number] as (typeof IMAGES)[number];
  const namespace = NAMESPACES[(number + (n % 10 === 0 ? 1 : 0)) % NAMESPACES.length] as string;
  const refused = random() < 0.03;
  return {
    uid: randomUUID(),
    rows: [
      {
        at,
        kind: 'review',
        cluster: 'shop-eu-1',
        namespace,
        pod: `service-${number}-${madeUp(n % 9973, 9)}-${madeUp(n, 5)}`,
        pod_uid: randomUUID(),
        container: 'app',
        image,
        digest,
        allowed: !refused,
        review_allowed: !refused,
        reason: refused ? 'vulnerabilities at or above CRITICAL: CVE-2021-44228, CVE-2022-22965' : '',
        label: refused ? 'threshold' : null,
        policy: 'shop',
        policy_revision: revision,
        break_glass: false,
        break_glass_reason: null,
        signals: SIGNALS[number % SIGNALS.length] as string[],
        exposed_by: null,
        subresource: null,
        requester: 'system:serviceaccount:kube-system:replicaset-controller',
        pod_level: false,
        inputs: sha256Hex(digest + namespace),
      },
    ],
  };
}

/** BENCH_ORIGIN is the name of the log that is built. */
export const BENCH_ORIGIN = 'ipo.dev/ledger/bench';

/** newKey makes a key that signs one. */
export function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** buildStore fills a new database with `rows` rows that end at ENDS_AT, their images and policy, and the tree over them. */
export async function buildStore(url: string, rows: number, pem = newKey()): Promise<void> {
  const store = await openStore({ url });
  const revision = await addPolicy(store);
  for (const [i, { name, digest }] of IMAGES.entries()) {
    const names = [name];
    await store.write((transaction) => importFacts(transaction, factsOf(i, digest, names), ENDS_AT));
  }
  const writer = ledgerWriter(store);
  const step = DAY_MS / ROWS_A_DAY;
  for (let from = 0; from < rows; from += GROUP) {
    const count = Math.min(GROUP, rows - from);
    const at = (n: number): number => Math.floor(ENDS_AT - (rows - 1 - n) * step);
    await writer.appendAll(
      Array.from({ length: count }, (_, i) => reviewAt(at(from + i), from + i, revision)),
    );
  }
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const signer = toSigner(BENCH_ORIGIN, pem);
  await new LedgerTree({
    store: ledgerTree(store),
    signer,
    clock: { now: () => ENDS_AT },
    log: quiet,
  }).checkpoint();
  await store.close();
}

async function addPolicy(store: Store): Promise<string> {
  const policy = parsePolicies(IN_FORCE, 'in-force.yaml').policies[0];
  if (policy === undefined) throw new Error('the policy of the benchmark is invalid');
  const { name, revision } = policy.policy;
  await policyStore(store).create({
    name,
    revision,
    document: policy.document as Record<string, unknown>,
    at: ENDS_AT,
    by: null,
  });
  return revision;
}

function factsOf(i: number, digest: string, names: string[]): Parameters<typeof importFacts>[1] {
  const findings = Array.from({ length: i % 41 }, (_, j) => ({
    cve: `CVE-20${10 + ((i + j) % 16)}-${1000 + ((i * 31 + j * 17) % 40_000)}`,
    severity:
      j % 10 === 0 && i % 5 === 0
        ? ('CRITICAL' as const)
        : ((['HIGH', 'MEDIUM', 'LOW'] as const)[j % 3] ?? 'LOW'),
    rank: j % 10 === 0 && i % 5 === 0 ? 4 : 3 - (j % 3),
    package: `package-${j}`,
    installed: `1.${j}.0`,
    fixed: j % 3 === 0 ? null : `1.${j}.1`,
    knownExploited: (i + j) % 97 === 0,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
  }));
  return {
    digest,
    names,
    scan: {
      scannedAt: '2026-11-19T02:00:00Z',
      scanner: { name: 'trivy', version: '0.72.0', dbUpdatedAt: '2026-11-19T00:00:00Z' },
      os: { family: 'debian', name: '13.1', eosl: i % 31 === 0 },
      findings,
    },
    signatures: [],
    attestations: [],
    provenance: [],
    vex: [],
  };
}

/** A name part as Kubernetes makes them up. */
function madeUp(number: number, length: number): string {
  let [text, rest] = ['', number];
  for (let i = 0; i < length; i += 1) {
    text += LETTERS.charAt(rest % LETTERS.length);
    rest = Math.floor(rest / LETTERS.length);
  }
  return text;
}
