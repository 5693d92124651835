import { sql } from 'kysely';
import type { TrackerKind } from '../../channels/index.ts';
import type { EndReason, IssueRef, TrackingRow } from '../../trackers/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const COLUMNS = [
  'id',
  'digest',
  'cve',
  'generation',
  'channel_id',
  'channel_kind',
  'closed_via',
  'image',
  'clusters',
  'severity',
  'issue_key',
  'issue_url',
  'issue_id',
  'summary',
  'marker',
  'state',
  'reason',
  'last_error',
  'attempts',
  'attempt_id',
  'attempt_at',
  'claimed_at',
  'opened_at',
  'closed_at',
  'issue_left_open',
  'returned_at',
  'superseded_by',
  'successor_has_cve',
  'withheld',
  'kind',
  'last_event_at',
] as const;

/** StoredRow is a row of `tracking` as TRACKING_COLUMNS read it: the rule of a runtime alert has the place of a CVE. */
export interface StoredRow extends Row<'tracking', (typeof COLUMNS)[number]> {
  readonly cve: string;
}

/** TRACKING_COLUMNS are the columns of a StoredRow, of the table that is called `t`. */
export const TRACKING_COLUMNS = sql.join(
  COLUMNS.map((column) => (column === 'cve' ? sql`coalesce(t.cve, t.rule) as cve` : sql.ref(`t.${column}`))),
);

/** toTrackingRow reads a stored row. */
export function toTrackingRow(row: StoredRow): TrackingRow {
  return {
    id: row.id,
    kind: row.kind === 'runtime' ? 'runtime' : 'finding',
    digest: row.digest,
    cve: row.cve,
    generation: row.generation,
    channelId: row.channel_id,
    channelKind: row.channel_kind as TrackerKind,
    closedVia: row.closed_via,
    image: row.image,
    clusters: parseNames(row.clusters),
    severity: row.severity,
    issue: issueOf(row),
    summary: row.summary === 1,
    marker: row.marker,
    state: row.state === 'open' ? 'open' : 'closed',
    reason: row.reason as EndReason | null,
    lastError: row.last_error,
    attempts: row.attempts,
    attemptId: row.attempt_id,
    attemptAt: row.attempt_at,
    claimedAt: row.claimed_at,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    issueLeftOpen: row.issue_left_open === 1,
    returnedAt: row.returned_at,
    supersededBy: row.superseded_by,
    successorHasCve: row.successor_has_cve === null ? null : row.successor_has_cve === 1,
    withheld: row.withheld,
    lastEventAt: row.last_event_at,
  };
}

function issueOf({ issue_key, issue_url, issue_id }: StoredRow): IssueRef | null {
  // A release before 1.3.7 kept no number of its own.
  return issue_key === null ? null : { key: issue_key, url: issue_url ?? '', id: issue_id ?? issue_key };
}

/** parseNames reads a stored list of cluster names. */
export function parseNames(text: string): string[] {
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** MAX_ERROR is how much of an error is kept. */
const MAX_ERROR = 1000;

/** shownError cuts an error to what a row keeps of it. */
export function shownError(error: string): string {
  return error.slice(0, MAX_ERROR);
}

/** clustersOfAll gives the clusters in which digests were reviewed or seen running, in order, without those that were removed. */
export async function clustersOfAll(
  db: Executor,
  digests: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      db,
      sql<Row<'running_images', 'digest' | 'cluster'>>`select seen.digest, seen.cluster from (
         select digest, cluster from ledger_shapes where digest in (${marks}) and cluster is not null
         union select digest, cluster from running_images where digest in (${marks})
       ) seen
       where not exists (select 1 from clusters c where c.name = seen.cluster and c.forgotten_at is not null)
       order by seen.cluster`,
    );
    for (const { digest, cluster } of rows) {
      const names = found.get(digest) ?? [];
      names.push(cluster);
      found.set(digest, names);
    }
  }
  return found;
}
