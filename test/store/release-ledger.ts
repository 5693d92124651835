import { createHash } from 'node:crypto';
import { insertMany, runText, type Cell } from '../../src/store/sql/dialect.ts';
import type { AnyDatabase } from '../../src/store/sql/schema.ts';
import { shapeHash } from '../../src/store/cells/shape.ts';
import { packUid } from '../../src/store/cells/uid.ts';

/** SeedRow is a decided image as somebody at any release might have recorded it; later columns are left out by earlier releases. */
export interface SeedRow {
  readonly at: number;
  readonly review_uid: string | null;
  readonly cluster: string | null;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly pod_uid: string | null;
  readonly container: string | null;
  readonly image: string | null;
  readonly digest: string | null;
  readonly allowed: number;
  readonly review_allowed: number;
  readonly reason: string;
  readonly label: string | null;
  readonly policy: string | null;
  readonly policy_revision: string;
  readonly break_glass: number;
  readonly break_glass_reason: string | null;
  readonly requester: string | null;
  readonly kind: string;
  readonly pod_level: number;
  readonly signals: string | null;
  readonly exposed_by: string | null;
  readonly inputs: string | null;
  readonly subresource: string | null;
  readonly platform: string | null;
  readonly clock_suspect: number;
}

/** DAY is 24 hours; SEEDED is the day before the first release, when the seeds begin. */
export const DAY = 86_400_000;
export const SEEDED = Date.UTC(2026, 7, 30);

/** digestOf gives the digest of the image of a number. */
export function digestOf(image: number): string {
  return `sha256:${createHash('sha256').update(`image ${image}`).digest('hex')}`;
}

const NAMESPACES = ['shop', 'payments', 'kube-system', 'größe'];
const REQUESTERS = ['system:serviceaccount:kube-system:replicaset-controller', 'ada@example.com', null];

/** seedRows gives the rows of a ledger, in the order of their ids, which is not quite that of time. */
export function seedRows(count: number): SeedRow[] {
  const rows: SeedRow[] = [];
  for (let i = 0; i < count; i += 1) {
    const image = i % 7;
    // Also among the last rows, which the images' states follow.
    const refused = (i * 5) % 11 < 3 || (i > count - 12 && image < 4);
    const audit = i % 13 === 4;
    const glass = i % 17 === 5;
    const digest = i % 9 === 8 ? null : digestOf(image);
    const podLevel = i % 19 === 7;
    rows.push({
      // Two replicas write side by side: now and then a row is older than the one before it.
      at: SEEDED + i * 1000 - (i % 5 === 3 ? 2500 : 0),
      review_uid: uidOf(i),
      cluster: i % 3 === 2 ? null : 'eu-1',
      namespace: NAMESPACES[i % NAMESPACES.length] ?? null,
      pod: i % 4 === 3 ? null : `web-${i % 6}`,
      pod_uid: i % 4 === 1 ? `0c7b5a44-90b1-4be6-9d27-${String(i).padStart(12, '0')}` : null,
      container: podLevel ? null : 'app',
      image: podLevel ? null : imageOf(image, digest === null && i % 2 === 0),
      digest: podLevel ? null : digest,
      allowed: refused && !audit && !glass ? 0 : 1,
      review_allowed: refused && !audit && !glass ? 0 : 1,
      reason: reasonOf(refused, audit, podLevel),
      label: refused ? (podLevel ? 'workload_hardening' : 'threshold') : null,
      policy: i % 6 === 5 ? null : 'baseline',
      policy_revision: createHash('sha256')
        .update(`revision ${i % 2}`)
        .digest('hex'),
      break_glass: glass ? 1 : 0,
      break_glass_reason: glass ? 'incident 4711 – "fix" it' : null,
      requester: REQUESTERS[i % REQUESTERS.length] ?? null,
      kind: i % 23 === 11 ? 'reconcile' : 'review',
      pod_level: podLevel ? 1 : 0,
      signals: i % 2 === 0 ? '["root","exposed"]' : '[]',
      exposed_by: i % 2 === 0 ? 'Service shop/web' : null,
      inputs: createHash('sha256').update(`inputs ${image}`).digest('hex'),
      subresource: i % 29 === 3 ? 'ephemeralcontainers' : null,
      platform: null,
      clock_suspect: 0,
    });
  }
  return rows;
}

/** Three rows to a review now and then; a uid that comes twice; one that is no UUID. */
function uidOf(i: number): string | null {
  if (i % 31 === 30) return null;
  if (i % 37 === 36) return 'not-a-uuid/ünï';
  const review = i % 10 < 3 ? i - (i % 10) : i % 41 === 40 ? i - 20 : i;
  return `6f1a2b3c-0000-4000-8000-${String(review).padStart(12, '0')}`;
}

function imageOf(image: number, byDigest: boolean): string {
  return byDigest
    ? `registry.example.com/app-${image}@${digestOf(image)}`
    : `registry.example.com/app-${image}:1.${image}`;
}

function reasonOf(refused: boolean, audit: boolean, podLevel: boolean): string {
  if (!refused) return '';
  const sentence = podLevel
    ? 'workload hardening: root'
    : 'vulnerabilities at or above CRITICAL: CVE-2026-0001';
  return audit ? `audit mode: ${sentence}` : sentence;
}

/** pseudonymOf gives the name of a requester as the ledger keeps it from 0.3.4 on. */
export function pseudonymOf(requester: string | null): string | null {
  if (requester === null || requester.startsWith('system:')) return requester;
  return `k8s-user:${createHash('sha256').update(requester).digest('hex').slice(0, 16)}`;
}

/** Columns that a release brought to the rows, by the number of its migration. */
const SINCE: Readonly<Partial<Record<keyof SeedRow, number>>> = {
  label: 7,
  policy_revision: 7,
  kind: 8,
  pod_level: 10,
  signals: 20,
  exposed_by: 20,
  inputs: 20,
  subresource: 32,
  platform: 32,
  clock_suspect: 32,
};

/** asOf gives a row as a release at that migration recorded it: what it did not know stands at what an upgrade makes of it. */
export function asOf(row: SeedRow, level: number): SeedRow {
  const known = (name: keyof SeedRow): boolean => (SINCE[name] ?? 0) <= level;
  return {
    ...row,
    label: known('label') ? row.label : null,
    policy_revision: known('policy_revision') ? row.policy_revision : '',
    kind: known('kind') ? row.kind : 'review',
    pod_level: known('pod_level') ? row.pod_level : 0,
    signals: known('signals') ? row.signals : null,
    exposed_by: known('exposed_by') ? row.exposed_by : null,
    inputs: known('inputs') ? row.inputs : null,
    subresource: known('subresource') ? row.subresource : null,
  };
}

/** insertLedger writes rows as the release at that migration did. */
export async function insertLedger(db: AnyDatabase, rows: readonly SeedRow[], level: number): Promise<void> {
  if (level < 9) await insertWide(db, rows, level);
  else await insertNarrow(db, rows, level);
}

/** Ids with gaps, as rolled back transactions leave them. */
async function insertWide(db: AnyDatabase, rows: readonly SeedRow[], level: number): Promise<void> {
  for (const [i, row] of rows.entries()) {
    const columns = (Object.keys(row) as (keyof SeedRow)[]).filter(
      (name) => (SINCE[name] ?? 0) <= level && name !== 'pod_level',
    );
    const cells: Cell[] = [10 + i * 3 + (i % 7 === 0 ? 1 : 0), ...columns.map((name) => row[name])];
    await runText(
      db,
      `insert into ledger (id, ${columns.join(', ')}) values (${cells.map(() => '?').join(', ')})`,
      cells,
    );
  }
}

/** From 0.3.4 on a uid comes once, and names are pseudonyms. */
async function insertNarrow(db: AnyDatabase, rows: readonly SeedRow[], level: number): Promise<void> {
  const shapes = new Map<string, number>();
  const parts = new Map<string, number>();
  const names = new Map<string, number>();
  const cells: Cell[][] = [];
  for (const [i, row] of rows.entries()) {
    const { at, review_uid, pod, pod_uid, requester, ...shape } = asOf(row, level);
    const hash = shapeHash(shape);
    const key = hash.toString('hex');
    if (!shapes.has(key)) {
      const columns = Object.keys(shape).filter((name) => (SINCE[name as keyof SeedRow] ?? 0) <= level);
      const values = columns.map((name) => shape[name as keyof typeof shape]);
      const [made] = await runText<{ id: number }>(
        db,
        `insert into ledger_shapes (hash, ${columns.join(', ')}) values (?, ${columns.map(() => '?').join(', ')}) returning id`,
        [hash, ...values],
      );
      shapes.set(key, made?.id ?? 0);
    }
    const part = review_uid === null ? 0 : (parts.get(review_uid) ?? 0);
    if (review_uid !== null) parts.set(review_uid, part + 1);
    const uid = review_uid === null ? null : packUid(review_uid);
    const name = pseudonymOf(requester);
    if (name !== null && !names.has(name)) {
      const [made] = await runText<{ id: number }>(
        db,
        'insert into ledger_names (name) values (?) returning id',
        [name],
      );
      names.set(name, made?.id ?? 0);
    }
    cells.push([
      i + 1,
      at,
      shapes.get(key) ?? 0,
      pod,
      pod_uid === null ? null : packUid(pod_uid),
      uid,
      part,
      name === null ? null : (names.get(name) ?? 0),
    ]);
  }
  const types = {
    id: 'integer',
    at: 'integer',
    shape: 'integer',
    pod: 'text',
    pod_uid: 'blob',
    review_uid: 'blob',
    part: 'integer',
    requester: 'integer',
  } as const;
  await insertMany(db, 'ledger_rows', types, cells);
  await runText(db, 'update ledger_head set size = ?', [cells.length]);
  const times = rows.map(({ at }) => at);
  await runText(db, 'insert into ledger_spans (span, min_at, max_at) values (0, ?, ?)', [
    Math.min(...times),
    Math.max(...times),
  ]);
}
