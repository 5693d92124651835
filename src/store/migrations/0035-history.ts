import { sql } from 'kysely';
import { insertMany, runText, type Cell } from '../sql/dialect.ts';
import { createIndex, createTable, type AnyDatabase } from '../sql/schema.ts';

const PAGE = 200;

/**
 * What evidence is made of later: each finding from when it was first reported until it ended, when images were scanned and ran, what the
 * catalogue held, and what each cluster did on each day. It is filled with what is known; when a record began, the service says.
 */
export async function makeHistory(db: AnyDatabase): Promise<void> {
  await createTable(
    db,
    'history_began',
    { record: 'text!', cluster: 'text!', at: 'integer!' },
    {
      key: ['record', 'cluster'],
    },
  );
  await createTable(db, 'history_images', { id: 'id', digest: 'text!' });
  await createIndex(db, 'history_images', ['digest'], { unique: true });
  await createTable(db, 'finding_history', FINDING, {
    key: ['image', 'cve', 'first_seen_at'],
    clustered: true,
  });
  await createIndex(db, 'finding_history', ['ended_at'], { where: 'ended_at is not null' });
  await createTable(
    db,
    'scan_history',
    { image: 'integer!', scanned_at: 'integer!' },
    {
      key: ['image', 'scanned_at'],
      clustered: true,
    },
  );
  await createTable(
    db,
    'run_history',
    {
      image: 'integer!',
      cluster: 'text!',
      first_seen_at: 'integer!',
      last_seen_at: 'integer!',
      ended_at: 'integer',
      superseded_by: 'integer',
    },
    { key: ['image', 'cluster', 'first_seen_at'] },
  );
  await createIndex(db, 'run_history', ['cluster'], { where: 'ended_at is null' });
  await createTable(
    db,
    'catalogue_history',
    { cve: 'text!', listed_at: 'integer!', date_added: 'text', delisted_at: 'integer' },
    { key: ['cve', 'listed_at'] },
  );
  await createTable(
    db,
    'policy_history',
    { name: 'text!', from_at: 'integer!', revision: 'text!', until_at: 'integer' },
    { key: ['name', 'from_at'] },
  );
  await createTable(
    db,
    'cluster_days',
    {
      cluster: 'text!',
      day: 'integer!',
      answered: 'blob',
      sweeps: 'integer!=0',
      partial_sweeps: 'integer!=0',
      accounted_sweeps: 'integer!=0',
      last_sweep_at: 'integer',
      detector_events: 'integer!=0',
      detector_heartbeats: 'integer!=0',
      detector_last_at: 'integer',
    },
    { key: ['cluster', 'day'] },
  );
  await fillImages(db);
  await fillRest(db);
}

const FINDING = {
  image: 'integer!',
  cve: 'text!',
  first_seen_at: 'integer!',
  // Null where it stood already when the record began, so that it may be older.
  first_scan: 'integer',
  rank: 'integer!',
  worst: 'integer!',
  package: 'text!',
  fixed: 'text',
  // JSON list of the other packages that have it, each with its fixed version or null.
  others: 'text',
  fixable_at: 'integer',
  exploited_at: 'integer',
  exploited_until: 'integer',
  // Since when no scan reports it though none proves that it is fixed, and what had found it.
  unreported_at: 'integer',
  found_scanner: 'text',
  found_db_at: 'integer',
  found_scan_at: 'integer',
  ended_at: 'integer',
  ended_scan: 'integer',
  ended_by: 'text',
} as const;

interface Finding {
  readonly cve: string;
  readonly rank: number;
  readonly package: string;
  readonly fixed: string | null;
  readonly known_exploited: number | null;
}

/** In the order of their digests, so that the same images get the same numbers on either engine. */
async function fillImages(db: AnyDatabase): Promise<void> {
  await sql`
    insert into history_images (digest)
    select digest from (select digest from scans union select digest from running_images) as known order by digest
  `.execute(db);
  let last = 0;
  for (;;) {
    const page = await runText<{ image: number; scan: number; at: number }>(
      db,
      `select h.id as image, s.id as scan, coalesce(s.scanned_at, s.recorded_at) as at
       from history_images h join scans s on s.digest = h.digest and s.current = 1 where h.id > ? order by h.id limit ${PAGE}`,
      [last],
    );
    if (page.length === 0) return;
    for (const { image, scan, at } of page) {
      const found = await runText<Finding>(
        db,
        'select cve, rank, package, fixed, known_exploited from findings where scan_id = ? order by ordinal',
        [scan],
      );
      const rows = [...Map.groupBy(found, ({ cve }) => cve).values()].map((same) => rowOf(image, at, same));
      await insertMany(db, 'finding_history', TYPES, rows);
    }
    last = page.at(-1)?.image ?? last;
  }
}

const TYPES = {
  image: 'integer',
  cve: 'text',
  first_seen_at: 'integer',
  rank: 'integer',
  worst: 'integer',
  package: 'text',
  fixed: 'text',
  others: 'text',
  fixable_at: 'integer',
  exploited_at: 'integer',
} as const;

function rowOf(image: number, at: number, found: readonly Finding[]): Cell[] {
  const [first, ...rest] = found.toSorted(
    (a, b) => b.rank - a.rank || Number(a.fixed === null) - Number(b.fixed === null),
  );
  if (first === undefined) throw new Error('a finding without a row');
  const pairs = new Map(rest.map((one) => [JSON.stringify([one.package, one.fixed]), one]));
  pairs.delete(JSON.stringify([first.package, first.fixed]));
  const others = pairs.size === 0 ? null : `[${[...pairs.keys()].toSorted().join(',')}]`;
  const isFixable = found.some(({ fixed }) => fixed !== null);
  const isExploited = found.some(({ known_exploited }) => known_exploited === 1);
  return [
    ...[image, first.cve, at, first.rank, first.rank, first.package, first.fixed, others],
    ...[isFixable ? at : null, isExploited ? at : null],
  ];
}

const DAY_MS = 86_400_000;

async function fillRest(db: AnyDatabase): Promise<void> {
  await sql`
    insert into scan_history (image, scanned_at)
    select distinct h.id, s.scanned_at from scans s join history_images h on h.digest = s.digest
    where s.complete = 1 and s.scanned_at is not null
  `.execute(db);
  await sql`
    insert into run_history (image, cluster, first_seen_at, last_seen_at)
    select h.id, r.cluster, min(r.first_seen_at), max(r.last_seen_at)
    from running_images r join history_images h on h.digest = r.digest group by h.id, r.cluster
  `.execute(db);
  await sql`
    insert into catalogue_history (cve, listed_at, date_added)
    select cve, coalesce((select coalesce(fetched_at, checked_at) from catalogue_states where name = 'kev'), 0), date_added
    from kev_entries
  `.execute(db);
  await sql`
    insert into policy_history (name, from_at, revision) select name, updated_at, revision from policies
  `.execute(db);
  await sql`
    insert into cluster_days (cluster, day, sweeps, last_sweep_at)
    select cluster, finished_at / ${sql.lit(DAY_MS)}, count(*), max(finished_at) from reconcile_sweeps
    where finished_at is not null group by cluster, finished_at / ${sql.lit(DAY_MS)}
  `.execute(db);
}
