import { sql, type RawBuilder } from 'kysely';
import { notTriaged } from './critical.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Closed rows that one page looks at: some milliseconds of SQLite. */
const PAGE = 2000;

const walk = (after: number): RawBuilder<unknown> => sql`with page as (
    select t.id, t.digest, t.cve, t.reason, t.closed_at from tracking t
    where t.id > ${after} and t.kind = 'finding' and t.state = 'closed' and t.returned_at is null and t.issue_key is not null
      and t.reason in ('fixed', 'image_retired')
    order by t.id limit ${PAGE}
  )`;

/**
 * readReturned walks over closed rows. "A finding that comes back sets `returned_at`": the newest scan reports it as critical again and no
 * triage covers it; and where the image had been retired, a pod was seen running it since.
 */
export async function readReturned(
  read: Executor,
  after: number,
  at: number,
): Promise<{ ids: number[]; next: number | null }> {
  const rows = await run(
    read,
    sql<Row<'tracking', 'id'>>`${walk(after)} select page.id from page
     where exists (
         select 1 from scans s join findings f on f.scan_id = s.id
         where s.digest = page.digest and s.current = 1 and f.cve = page.cve and f.severity = 'CRITICAL'
       )
       and (page.reason = 'fixed' or exists (
         select 1 from running_images r where r.digest = page.digest and r.last_seen_at > page.closed_at
       ))
       and ${notTriaged('page.digest', 'page.cve', at)}`,
  );
  const [page] = await run(
    read,
    sql<{
      last: number | null;
      looked: number;
    }>`${walk(after)} select max(id) as last, count(*) as looked from page`,
  );
  return { ids: rows.map(({ id }) => id), next: page?.looked === PAGE ? page.last : null };
}
