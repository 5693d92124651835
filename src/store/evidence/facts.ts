import { sql } from 'kysely';
import { byCodeUnit, DAY_MS } from '../../base/index.ts';
import { validIn, type EvidenceDay, type EvidenceRequest, type SourceFacts } from '../../evidence/index.ts';
import { TRACKER_KINDS } from '../../channels/index.ts';
import type { ClusterDay } from '../../history/index.ts';
import { historyReader } from '../history/index.ts';
import { run, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import { readDeclarations } from './declarations.ts';
import { mutesOf } from './mutes.ts';
import { nodesOf } from './nodes.ts';
import { runtimeSection } from './runtime.ts';

/** Installation is what the database does not know of the service. */
export interface Installation {
  readonly version: string;
  readonly organisation: { readonly name: string | null; readonly contact: string | null };
  readonly exemptNamespaces: readonly string[];
  readonly rescanHours: number;
  readonly publicUrl: string | null;
}

/** evidenceFacts reads what a package says beside its populations. */
export async function evidenceFacts(
  store: Store,
  request: EvidenceRequest,
  installation: Installation,
): Promise<SourceFacts> {
  const { from, to, clusters } = request;
  const history = historyReader(store);
  const isWanted = ({ cluster }: { readonly cluster: string }): boolean =>
    clusters.length === 0 || cluster === '' || clusters.includes(cluster);
  const days = await history.days(Math.floor(from / DAY_MS), Math.floor(to / DAY_MS));
  return {
    kind: 'service',
    organisation: {
      ...installation.organisation,
      declarations: validIn(await readDeclarations(store.read), request),
    },
    versions: { service: installation.version, scanner: await newestScanner(store) },
    nodes: await nodesOf(store, clusters),
    exemptNamespaces: installation.exemptNamespaces,
    days: days.filter(isWanted).map((day) => toDay(day, request)),
    began: (await history.began())
      .filter(isWanted)
      .toSorted((a, b) => byCodeUnit(a.record, b.record) || byCodeUnit(a.cluster, b.cluster)),
    clusters: await clustersOf(store, clusters),
    tracker: await hasTracker(store),
    rescanHours: installation.rescanHours,
    runtime: await runtimeSection(store, request),
    mutes: await mutesOf(store, request),
    ledger: { rows: await ledgerRows(store), anchors: await anchorsOf(store) },
    publicUrl: installation.publicUrl,
  };
}

const MINUTES = 1440;

function toDay(day: ClusterDay, { from, to }: EvidenceRequest): EvidenceDay {
  const { cluster, sweeps, partialSweeps, accountedSweeps, detectorEvents, detectorHeartbeats } = day;
  const start = day.day * DAY_MS;
  const first = Math.max(0, Math.floor((from - start) / 60_000));
  const last = Math.min(MINUTES - 1, Math.floor((to - start) / 60_000));
  const { answered } = day;
  const minutes = answered === null ? null : countBits(answered, first, last);
  return {
    cluster,
    day: day.day,
    sweeps,
    partialSweeps,
    accountedSweeps,
    detectorEvents,
    detectorHeartbeats,
    answered: minutes,
  };
}

/** Bits that are set from one to another, both included. */
function countBits(bits: Uint8Array, first: number, last: number): number {
  let count = 0;
  for (let i = first; i <= last; i += 1) count += ((bits[i >> 3] ?? 0) >> (i & 7)) & 1;
  return count;
}

async function newestScanner(store: Store): Promise<SourceFacts['versions']['scanner']> {
  const [scan] = await run(
    store.read,
    sql<
      Row<'scans', 'scanner' | 'scanner_version' | 'db_updated_at'>
    >`select scanner, scanner_version, db_updated_at from scans where complete = 1 and scanner is not null order by scanned_at desc, id desc limit 1`,
  );
  if (scan === undefined || scan.scanner === null) return null;
  return { name: scan.scanner, version: scan.scanner_version, databaseAt: scan.db_updated_at };
}

async function clustersOf(
  store: Store,
  wanted: readonly string[],
): Promise<NonNullable<SourceFacts['clusters']>> {
  const found = await run(
    store.read,
    sql<
      Row<'clusters', 'name' | 'last_seen_at'>
    >`select name, last_seen_at from clusters where forgotten_at is null`,
  );
  return found
    .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    .map(({ name, last_seen_at }) => ({ name, lastSeenAt: last_seen_at }))
    .toSorted((a, b) => byCodeUnit(a.name, b.name));
}

async function hasTracker(store: Store): Promise<boolean> {
  const [found] = await run(
    store.read,
    sql<{
      count: number;
    }>`select count(*) as count from channels where enabled = 1 and kind in (${sql.join([...TRACKER_KINDS])})`,
  );
  return (found?.count ?? 0) > 0;
}

async function ledgerRows(store: Store): Promise<number> {
  const [head] = await run(store.read, sql<Row<'ledger_head', 'size'>>`select size from ledger_head`);
  return head?.size ?? 0;
}

async function anchorsOf(store: Store): Promise<NonNullable<SourceFacts['ledger']['anchors']>> {
  const found = await run(
    store.read,
    sql<
      Row<'checkpoint_anchors', 'sink' | 'size' | 'at' | 'refused'>
    >`select sink, size, at, refused from checkpoint_anchors`,
  );
  return found.toSorted((a, b) => byCodeUnit(a.sink, b.sink));
}
