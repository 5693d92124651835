import { sql, type RawBuilder } from 'kysely';
import type { Candidate, CriticalCursor, CriticalPage, Fence } from '../../trackers/index.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { underFence } from '../leadership/fence.ts';
import { clustersOfAll, parseNames } from './rows.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Findings that one page looks at: some milliseconds of SQLite, which works in the process that answers. */
const PAGE = 2000;

/** notTriaged is the condition that no triage decision covers a finding (digest, CVE) at a time. */
export function notTriaged(digest: string, cve: string, at: number): RawBuilder<unknown> {
  return sql`not exists (
    select 1 from triage g where g.digest = ${sql.ref(digest)} and g.cve = ${sql.ref(cve)}
      and case when g.ended_at < g."until" then g.ended_at else g."until" end > ${at}
  )`;
}

/** UNIQUE is the condition of the unique index of `tracking`, without which SQLite cannot find a row of a finding without a walk. */
export const UNIQUE = sql`kind = 'finding' and (state <> 'closed' or reason <> 'triaged')`;

/**
 * BLOCKS is the condition that a row of the table called `b` blocks its finding: every row does, but for one that was closed as triaged, and
 * one of which nobody was told: it was closed before any issue was opened, or a release before markers claimed it and left it so.
 */
export const BLOCKS = sql`b.kind = 'finding' and (b.state <> 'closed' or b.reason <> 'triaged')
  and (b.issue_key is not null or (b.state <> 'closed' and b.marker is not null))`;

const walk = (after: CriticalCursor | null): RawBuilder<unknown> => sql`with page as (
    select scan_id, cve, max(coalesce(known_exploited, 0)) as kev from findings
    where severity = 'CRITICAL' and (scan_id, cve) > (${after?.scanId ?? -1}, ${after?.cve ?? ''})
    group by scan_id, cve order by scan_id, cve limit ${PAGE}
  )`;

/** readCritical walks the critical findings of current scans. */
export async function readCritical(
  read: Executor,
  after: CriticalCursor | null,
  at: number,
): Promise<CriticalPage> {
  const rows = await run(
    read,
    sql<
      Row<'findings', 'scan_id' | 'cve'> & Row<'scans', 'digest'> & { kev: number }
    >`${walk(after)} select page.scan_id, page.cve, s.digest, page.kev from page
     join scans s on s.id = page.scan_id and s.current = 1
     where not exists (select 1 from tracking b where b.digest = s.digest and b.cve = page.cve and ${BLOCKS})
       and ${notTriaged('s.digest', 'page.cve', at)}
     order by page.scan_id, page.cve`,
  );
  const candidates = rows.map(({ scan_id, cve, digest, kev }): Candidate => ({
    digest,
    cve,
    scanId: scan_id,
    knownExploited: kev === 1,
  }));
  const [last] = await run(
    read,
    sql<
      Row<'findings', 'scan_id' | 'cve'> & { looked: number }
    >`${walk(after)} select scan_id, cve, (select count(*) from page) as looked from page
     order by scan_id desc, cve desc limit 1`,
  );
  const whole = last !== undefined && last.looked === PAGE;
  return { candidates, next: whole ? { scanId: last.scan_id, cve: last.cve } : null };
}

/** readUncounted gives the scans in use whose findings were not counted yet, by number. */
export async function readUncounted(read: Executor): Promise<readonly number[]> {
  const rows = await run(
    read,
    sql<Row<'scans', 'id'>>`select id from scans where current = 1 and counted = 0 order by id`,
  );
  return rows.map(({ id }) => id);
}

interface Known extends Row<'tracking', 'id' | 'digest' | 'clusters'> {
  readonly critical: number | boolean;
}

const REPORTS = sql`exists (select 1 from findings f where f.scan_id = s.id and f.cve = b.cve)`;

/**
 * noteScans brings the rows of findings that scans report again up to date, and gives how many are critical. The scans are marked first,
 * which holds them: one that found the same again meanwhile is marked as not counted after that.
 */
export async function noteScans(store: Store, scans: readonly number[], fence: Fence): Promise<number> {
  return underFence(store, fence, async (transaction) => {
    let critical = 0;
    for (const marks of inLists(scans)) {
      const held = await run(
        transaction,
        sql<
          Row<'scans', 'id'>
        >`update scans set counted = 1 where current = 1 and counted = 0 and id in (${marks}) returning id`,
      );
      for (const some of inLists(held.map(({ id }) => id))) critical += await noteCounted(transaction, some);
    }
    return critical;
  });
}

async function noteCounted(transaction: Executor, marks: RawBuilder<unknown>): Promise<number> {
  const known = await run(
    transaction,
    sql<Known>`select b.id, b.digest, b.clusters, exists (
       select 1 from findings c where c.scan_id = s.id and c.cve = b.cve and c.severity = 'CRITICAL'
     ) as critical
     from scans s join tracking b on b.digest = s.digest and ${BLOCKS} where s.id in (${marks}) and ${REPORTS} order by b.id`,
  );
  await run(
    transaction,
    sql`update tracking as b set found_scanner = s.scanner, found_db_at = s.db_updated_at, found_scan_at = s.recorded_at, confirmed_at = null, confirmed_by = null
     from scans s where b.digest = s.digest and ${BLOCKS} and b.state = 'open' and s.id in (${marks}) and ${REPORTS}
       and (b.found_scanner is distinct from s.scanner or b.found_db_at is distinct from s.db_updated_at
         or (s.db_updated_at is null and b.found_scan_at is distinct from s.recorded_at)
         or b.confirmed_at is not null)`,
  );
  await addClusters(transaction, known);
  return known.filter(({ critical }) => Boolean(critical)).length;
}

/** Adds the name of the cluster to the row. */
async function addClusters(transaction: Executor, rows: readonly Known[]): Promise<void> {
  const seen = await clustersOfAll(transaction, [...new Set(rows.map(({ digest }) => digest))]);
  const changed = rows.flatMap(({ id, digest, clusters }) => {
    const before = parseNames(clusters);
    const all = [...new Set([...before, ...(seen.get(digest) ?? [])])].toSorted();
    return all.length > before.length ? [{ id, names: JSON.stringify(all) }] : [];
  });
  for (const [names, same] of Map.groupBy(changed, (row) => row.names))
    for (const marks of inLists(same.map(({ id }) => id)))
      await run(transaction, sql`update tracking set clusters = ${names} where id in (${marks})`);
}
