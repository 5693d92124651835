import { sql, type RawBuilder } from 'kysely';
import { severityRank } from '../../findings/index.ts';
import type { Happened } from '../../notify/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Episode } from './episode.ts';

/** CRITICAL is the rank of a critical finding. */
export const CRITICAL = severityRank('CRITICAL') as number;

/** Found is a critical finding as channels are told of it. */
export type Found = Pick<Episode, 'cve' | 'package' | 'fixed' | 'exploited_at' | 'exploited_until'>;

/** OpenCritical is one that stands in an image. */
export interface OpenCritical extends Found {
  readonly digest: string;
}

/** FoundReason is why a critical finding is told: a scan found it, its image runs again, or its triage ended. */
export type FoundReason = 'found' | 'runs_again' | 'triage_ended';

/** toFound is what channels are told of a critical finding that a person should look at. */
export function toFound(digest: string, finding: Found, reason: FoundReason): Happened {
  const { cve, package: name, fixed, exploited_at, exploited_until } = finding;
  return {
    event: 'critical_finding',
    subject: digest,
    payload: {
      digest,
      cve,
      package: name,
      fixed,
      severity: 'CRITICAL',
      known_exploited: exploited_at !== null && exploited_until === null,
      reason,
    },
  };
}

/** An image that has run and runs nowhere any more; `image` is its number. What runs in a cluster that was removed does not count. */
const isGone = (image: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select 1 from run_history r where r.image = ${image})
   and not exists (select 1 from run_history r left join clusters c on c.name = r.cluster
     where r.image = ${image} and r.ended_at is null and c.forgotten_at is null)`;

/** goneAmong gives which images have run and run nowhere any more. */
export async function goneAmong(
  transaction: Executor,
  marks: RawBuilder<unknown>,
): Promise<ReadonlySet<number>> {
  const rows = await run(
    transaction,
    sql<
      Row<'history_images', 'id'>
    >`select i.id from history_images i where i.id in (${marks}) and ${isGone(sql`i.id`)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * readOpenCritical gives the critical findings of images that stand, and that no triage covers at a time; `which` narrows the images `i`
 * and their findings `f`.
 */
export async function readOpenCritical(
  transaction: Executor,
  which: RawBuilder<unknown>,
  at: number,
): Promise<readonly OpenCritical[]> {
  return run(
    transaction,
    sql<OpenCritical>`select i.digest, f.cve, f.package, f.fixed, f.exploited_at, f.exploited_until
     from history_images i join finding_history f on f.image = i.id
     where f.ended_at is null and f.rank = ${CRITICAL} and ${which}
       and not exists (select 1 from triage t where t.digest = i.digest and t.cve = f.cve
         and (t.ended_at is null or t.ended_at > ${at}) and t."until" > ${at})
     order by i.digest, f.cve`,
  );
}
