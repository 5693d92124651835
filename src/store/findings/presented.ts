import { sql } from 'kysely';
import type { PresentedFinding } from '../../inventory/index.ts';
import { ADVISORY, toAdvisory, type AdvisoryRow } from './advisories.ts';
import { placesOf } from './stored-findings.ts';
import { run, type Executor } from '../sql/run.ts';

interface ShownRow extends AdvisoryRow {
  readonly cve: string;
  readonly place: number | null;
  readonly places: string | null;
}

/** presentedOf reads what is shown of each finding of the scan in use, in the order of the facts; null where there is nothing to show. */
export async function presentedOf(
  read: Executor,
  digest: string,
): Promise<readonly PresentedFinding[] | null> {
  const rows = await run(
    read,
    sql<ShownRow>`select f.cve, f.place, case when f.ordinal = 0 then s.places end as places, ${ADVISORY}
     from scans s join findings f on f.scan_id = s.id
     left join advisories a on a.cve = f.cve and a.rated_by = f.rated_by
     where s.digest = ${digest} and s.current = 1 order by f.ordinal`,
  );
  const places = placesOf(rows[0]?.places ?? null);
  const presented = rows.map((row) => ({
    cve: row.cve,
    advisory: toAdvisory(row),
    foundAt: row.place === null ? null : (places[row.place] ?? null),
  }));
  return presented.some(({ advisory, foundAt }) => advisory !== null || foundAt !== null) ? presented : null;
}
