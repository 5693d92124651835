import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { DAY_MS, formatTime, isDigest, sha256Hex } from '../src/base/index.ts';
import { parseImageFacts } from '../src/facts/index.ts';
import { exportLines, type LedgerRow } from '../src/ledger/index.ts';
import { parsePolicies } from '../src/policy/index.ts';

const EXPORTED_AT = Date.parse('2026-11-20T06:00:00Z');
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
const SEVERITIES = ['CRITICAL', 'HIGH', 'HIGH', 'MEDIUM', 'MEDIUM', 'MEDIUM', 'LOW', 'LOW', 'LOW', 'UNKNOWN'];
const SIGNALS = [[], [], [], ['root'], ['root', 'exposed'], ['privileged', 'root', 'hostNamespace']];

/** IN_FORCE is the policy that the rows of a big ledger were decided under. */
export const IN_FORCE = `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata: { name: shop }
spec:
  enforcement: Enforce
  severityThreshold: CRITICAL
  allowedRegistries: [registry.shop.example, docker.io]
`;

/**
 * writeBigLedger writes a plain export of `rows` rows over 30 days: 400 images with 20 findings each, eight
 * namespaces, pod names that are all different. The same bytes for the same count.
 */
export async function writeBigLedger(path: string, rows: number): Promise<void> {
  const random = generator(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const images = Array.from({ length: 400 }, (_, i) => {
    const digest = `sha256:${sha256Hex(`image ${i}`)}`;
    if (!isDigest(digest)) throw new Error('not a digest');
    const name = `registry.shop.example/team-${i % 23}/service-${i}`;
    const findings = Array.from({ length: i % 41 }, (_, j) => ({
      cve: `CVE-20${10 + ((i + j) % 16)}-${1000 + ((i * 31 + j * 17) % 40000)}`,
      severity: i % 5 === 0 ? pick(SEVERITIES) : pick(SEVERITIES.slice(1)),
      package: `package-${j}`,
      installed: `1.${j}.0`,
      fixed: j % 3 === 0 ? null : `1.${j}.1`,
      known_exploited: (i + j) % 97 === 0,
      triaged_until: null,
    }));
    return {
      tag: `1.${i % 30}.${i % 7}`,
      name,
      digest,
      facts: parseImageFacts({
        digest,
        names: [name],
        scan: {
          scanned_at: '2026-11-19T02:00:00Z',
          scanner: { name: 'trivy', version: '0.72.0', db_updated_at: '2026-11-19T00:00:00Z' },
          os: { family: 'debian', name: '13.1', eosl: i % 31 === 0 },
          findings,
        },
        signatures: [],
        attestations: [],
        provenance: [],
        vex: [],
      }),
    };
  });
  const policy = parsePolicies(IN_FORCE, 'in-force.yaml').policies[0];
  if (policy === undefined) throw new Error('the policy of the benchmark is invalid');
  const { revision } = policy.policy;
  const out = createWriteStream(path, { highWaterMark: 1 << 20 });
  const makeRow = (n: number): LedgerRow => {
    const id = rows - n;
    const number = Math.floor(random() ** 2 * images.length); // some services are deployed far more often than others
    const image = images[number] as (typeof images)[number];
    const namespace = NAMESPACES[(number + (n % 10 === 0 ? 1 : 0)) % NAMESPACES.length] as string;
    const pod = `service-${number}-${madeUp(id % 9973, 9)}-${madeUp(id, 5)}`;
    const refused = random() < 0.03;
    const uid = `${(id + 0x10000000).toString(16)}-1111-4222-8333-${(id * 97).toString(16).padStart(12, '0')}`;
    return {
      id,
      kind: 'review',
      time: formatTime(EXPORTED_AT - Math.floor((n / rows) * 30 * DAY_MS)),
      review_uid: uid,
      cluster: 'shop-eu-1',
      namespace,
      pod,
      pod_uid: uid.replace('1111', '2222'),
      container: 'app',
      image: `${image.name}:${image.tag}`,
      digest: image.digest,
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
      inputs: sha256Hex(image.digest + namespace),
    };
  };
  function* batches(): Generator<LedgerRow[]> {
    for (let from = 0; from < rows; from += 1000) {
      yield Array.from({ length: Math.min(1000, rows - from) }, (_, i) => makeRow(from + i));
    }
  }
  const lines = exportLines({
    header: {
      exportedAt: EXPORTED_AT,
      cluster: 'shop-eu-1',
      coldImagePolicy: 'AllowAndScan',
      rows,
      images: images.length,
      from: formatTime(EXPORTED_AT - 30 * DAY_MS),
      to: formatTime(EXPORTED_AT),
    },
    policies: [{ name: 'shop', revision, current: true, document: policy.document }],
    images: images.map(({ facts }) => facts),
    rows: batches(),
  });
  for await (const text of lines) if (!out.write(text)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
}

/** A name part as Kubernetes makes them up. */
function madeUp(number: number, length: number): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  let rest = number;
  return Array.from({ length }, () => {
    const letter = letters.charAt(rest % letters.length);
    rest = Math.floor(rest / letters.length);
    return letter;
  }).join('');
}

/** A small linear congruential generator: the same numbers on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
