import { sql, type RawBuilder } from 'kysely';
import type { IssueName, OpenFinding } from '../../trackers/index.ts';
import { clustersOfAll, toTrackingRow, TRACKING_COLUMNS, type StoredRow } from './rows.ts';
import { readHeard } from './alerts.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type MaybeRow, type Row } from '../sql/run.ts';

/** Rows that one page of a sweep reads: some milliseconds of SQLite, which works in the process that answers. */
const PAGE = 500;

interface FoundRow
  extends
    StoredRow,
    Row<'tracking', 'found_scanner' | 'found_db_at' | 'found_scan_at' | 'confirmed_at'>,
    MaybeRow<'scans', 'scanner' | 'db_updated_at'> {
  readonly scan_id: number | null;
  readonly reported: number | boolean;
  readonly triaged_until: number | null;
}

// A closing that is under way ends as it was begun, before its rows are judged again.
const FINDINGS = sql`select ${TRACKING_COLUMNS}, t.found_scanner, t.found_db_at, t.found_scan_at, t.confirmed_at,
    s.id as scan_id, s.scanner, s.db_updated_at,
    exists (select 1 from findings f where f.scan_id = s.id and f.cve = t.cve) as reported,
    (select max(case when g.ended_at < g."until" then g.ended_at else g."until" end)
     from triage g where g.digest = t.digest and g.cve = t.cve) as triaged_until
  from tracking t left join scans s on s.digest = t.digest and s.current = 1
  where t.state = 'open' and t.closing_id is null`;

/** readOpenAfter gives the next open rows after an id, with what is known of their findings. */
export async function readOpenAfter(read: Executor, id: number): Promise<OpenFinding[]> {
  const rows = await run(read, sql<FoundRow>`${FINDINGS} and t.id > ${id} order by t.id limit ${PAGE}`);
  return toOpenFindings(read, rows);
}

/** issueCondition is the condition that a row of the table called `t` belongs to an issue. */
export function issueCondition(name: IssueName): RawBuilder<unknown> {
  return name.marker !== null
    ? sql`t.marker = ${name.marker}`
    : sql`t.marker is null and t.channel_id = ${name.channelId} and t.issue_key = ${name.key}`;
}

/** readOpenOf gives all open rows of an issue. */
export async function readOpenOf(read: Executor, name: IssueName): Promise<OpenFinding[]> {
  const rows = await run(read, sql<FoundRow>`${FINDINGS} and ${issueCondition(name)} order by t.id`);
  return toOpenFindings(read, rows);
}

/** A row learns of further clusters with the next scan; whether its image is retired is judged by all that are known now. */
async function toOpenFindings(read: Executor, rows: readonly FoundRow[]): Promise<OpenFinding[]> {
  const digests = [...new Set(rows.map(({ digest }) => digest))];
  const clusters = await clustersOfAll(read, digests);
  const seen = await lastSeen(read, digests);
  const heard = await readHeard(
    read,
    rows.filter(({ kind }) => kind === 'runtime'),
  );
  return rows.map((row) => toOpenFinding(row, clusters.get(row.digest) ?? [], seen, heard));
}

/** When a pod was last seen running each digest. By image, not by row: one has many findings. */
async function lastSeen(read: Executor, digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      read,
      sql<
        Row<'running_images', 'digest' | 'last_seen_at'>
      >`select digest, max(last_seen_at) as last_seen_at from running_images r
         where digest in (${marks})
           and not exists (select 1 from clusters c where c.name = r.cluster and c.forgotten_at is not null)
         group by digest`,
    );
    for (const { digest, last_seen_at: at } of rows) seen.set(digest, at);
  }
  return seen;
}

function toOpenFinding(
  found: FoundRow,
  seenIn: readonly string[],
  seen: ReadonlyMap<string, number>,
  heard: ReadonlyMap<number, number>,
): OpenFinding {
  const row = toTrackingRow(found);
  return {
    row: { ...row, clusters: [...new Set([...row.clusters, ...seenIn])].toSorted() },
    scan: found.scan_id === null ? null : { scanner: found.scanner, dbUpdatedAt: found.db_updated_at },
    reported: Boolean(found.reported),
    found: { scanner: found.found_scanner, dbUpdatedAt: found.found_db_at, recordedAt: found.found_scan_at },
    triagedUntil: found.triaged_until,
    lastSeenAt: seen.get(found.digest) ?? null,
    confirmedAt: found.confirmed_at,
    heardAt: heard.get(found.id) ?? null,
  };
}
