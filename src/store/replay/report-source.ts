import { sql } from 'kysely';
import type { LastReview, ReportSource } from '../../cluster/index.ts';
import { imageStore } from '../images/images.ts';
import { failuresShown, readFailures } from '../scans/failures.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

interface ImageRow {
  readonly digest: string;
  readonly facts_version: number;
  readonly state: string;
  readonly name: string;
  readonly scan: string | null;
  /** Active triage decisions. */
  readonly triaged: number;
}

interface ReviewRow {
  readonly namespace: string;
  readonly digest: string;
  readonly image: string | null;
  readonly at: number;
  readonly allowed: number;
  readonly reason: string;
  readonly label: string | null;
  readonly policy: string | null;
  readonly break_glass: number;
}

/** reportSource reads what the reports of one cluster are made from. Images that were not judged yet are left out. */
export function reportSource(store: Store, cluster: string | null): ReportSource {
  const images = imageStore(store);
  const own = cluster ?? '';
  return {
    async images(since, at) {
      const rows = await run(
        store.read,
        sql<ImageRow>`select t.digest, i.facts_version, t.state, t.name, t.scan,
           (select count(*) from triage d where d.digest = t.digest and d.ended_at is null and d."until" > ${at}) as triaged
         from image_states t join images i on i.digest = t.digest
         where t.state is not null and t.digest in (
           select digest from running_images where cluster = ${own} and last_seen_at >= ${since}
           union select s.digest from image_sightings s join ledger_rows r on r.id = s.row_id
             join ledger_shapes h on h.id = s.shape where r.at >= ${since} and coalesce(h.cluster, ${own}) = ${own})
         order by t.digest`,
      );
      const failures = new Map<string, unknown[]>();
      for (const { digest, ...failure } of await failuresShown(store.read))
        failures.set(digest, [...(failures.get(digest) ?? []), failure]);
      // Triage that is decided or ended changes the facts; triage that runs out, only their number.
      return rows.map(({ digest, facts_version, state, name, scan, triaged }) => ({
        digest,
        version: JSON.stringify([facts_version, state, name, scan, triaged, failures.get(digest) ?? []]),
      }));
    },
    async image(digest, at) {
      const [row] = await run(
        store.read,
        sql<
          Row<'image_states', 'name'> & { state: string }
        >`select state, name from image_states where digest = ${digest} and state is not null`,
      );
      const record = row === undefined ? null : await images.record(digest);
      if (row === undefined || record === null) return null;
      return {
        digest,
        ...row,
        scan: record.facts?.scan ?? null,
        failures: (await readFailures(store.read, [digest])).get(digest) ?? [],
        triage: record.triage.flatMap(({ cve, endedAt, until, ...decision }) =>
          cve === null || endedAt !== null || until <= at ? [] : [{ ...decision, cve, until }],
        ),
      };
    },
    async reviews(since) {
      const rows = await run(
        store.read,
        sql<ReviewRow>`select s.namespace, s.digest, h.image, r.at, h.allowed, h.reason, h.label, h.policy, h.break_glass
         from image_sightings s join ledger_rows r on r.id = s.row_id join ledger_shapes h on h.id = s.shape
         where r.at >= ${since} and coalesce(h.cluster, ${own}) = ${own} order by s.namespace, s.digest`,
      );
      return rows.map(toReview);
    },
  };
}

function toReview({ allowed, break_glass, image, ...row }: ReviewRow): LastReview {
  return { ...row, image: image ?? '', allowed: allowed === 1, breakGlass: break_glass === 1 };
}
