import { sql } from 'kysely';
import { run, type Executor, type Row } from '../sql/run.ts';

/** EndedRun is a run of an image with what took its place. */
export interface EndedRun {
  readonly ended_at: number | null;
  readonly superseded_by: number | null;
  readonly successor: string | null;
}

/**
 * readSuccessorCves tells which of some CVEs each successor had when it was found that the image before it does not run any more, or at
 * its first scan where that came later; null for one that was never scanned.
 */
export async function readSuccessorCves(
  read: Executor,
  runs: readonly EndedRun[],
  cves: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<string> | null>> {
  const asked = new Map<string, { readonly image: number; readonly at: number }>();
  for (const { successor, superseded_by, ended_at } of runs) {
    if (successor === null || superseded_by === null || ended_at === null) continue;
    const at = Math.max(ended_at, asked.get(successor)?.at ?? 0);
    asked.set(successor, { image: superseded_by, at });
  }
  const had = new Map<string, ReadonlySet<string> | null>();
  for (const [successor, { image, at }] of asked) had.set(successor, await reportedAt(read, image, at, cves));
  return had;
}

async function reportedAt(
  read: Executor,
  image: number,
  at: number,
  cves: ReadonlySet<string>,
): Promise<ReadonlySet<string> | null> {
  const [scanned] = await run(
    read,
    sql<{ first: number | null }>`select min(scanned_at) as first from scan_history where image = ${image}`,
  );
  const first = scanned?.first ?? null;
  if (first === null) return null;
  const when = Math.max(at, first);
  const rows = await run(
    read,
    sql<Row<'finding_history', 'cve'>>`select distinct cve from finding_history
     where image = ${image} and first_seen_at <= ${when} and (ended_at is null or ended_at > ${when})`,
  );
  return new Set(rows.flatMap(({ cve }) => (cves.has(cve) ? [cve] : [])));
}
