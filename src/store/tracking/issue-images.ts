import { sql, type RawBuilder } from 'kysely';
import type { KnownImage, Workload } from '../../trackers/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const NAMES = 5;
const WORKLOADS = 20;
const NAMESPACES = 200;

/** readImages puts what is known of images into a map; what is not known at all is left out. As many statements for one as for many. */
export async function readImages(
  read: Executor,
  digests: readonly string[],
  images: Map<string, KnownImage>,
): Promise<void> {
  for (const marks of inLists(digests)) {
    const ask = async <Found extends { readonly digest: string }>(
      statement: (digests: RawBuilder<unknown>) => RawBuilder<Found>,
    ): Promise<ReadonlyMap<string, readonly Found[]>> =>
      Map.groupBy(await run(read, statement(marks)), ({ digest }) => digest);
    const known = await ask(knownOf);
    const names = await ask(namesOf);
    const workloads = await ask(workloadsOf);
    const namespaces = await ask(namespacesOf);
    const scans = await ask(scansOf);
    for (const [digest, [image]] of known) {
      const running = workloads.get(digest) ?? [];
      const [scan] = scans.get(digest) ?? [];
      images.set(digest, {
        names: (names.get(digest) ?? []).map(({ name }) => name),
        source: image?.source ?? null,
        workloads: running.map(({ cluster, namespace, name, since }) => ({
          cluster,
          namespace,
          name,
          since,
        })),
        workloadsTotal: running[0]?.total ?? 0,
        namespaces: (namespaces.get(digest) ?? []).map(({ namespace }) => namespace),
        ledger: image?.row === undefined || image.row === null ? null : { id: image.row, at: image.at ?? 0 },
        scan: scan === undefined ? null : { scanner: scannerOf(scan), at: scan.at },
      });
    }
  }
}

function scannerOf({ scanner, version }: ScanRow): string | null {
  return [scanner, version].filter((part) => part !== null).join(' ') || null;
}

interface ImageRow {
  readonly digest: string;
  readonly source: string | null;
  /** The newest row of the ledger. */
  readonly row: number | null;
  readonly at: number | null;
}

const knownOf = (
  digests: RawBuilder<unknown>,
): RawBuilder<ImageRow> => sql<ImageRow>`select i.digest, i.source, r.id as "row", r.at from images i left join image_states t on t.digest = i.digest
  left join ledger_rows r on r.id = coalesce(t.last_row_id, i.last_row_id)
  where i.digest in (${digests})`;

const namesOf = (digests: RawBuilder<unknown>): RawBuilder<Row<'image_names', 'digest' | 'name'>> => sql<
  Row<'image_names', 'digest' | 'name'>
>`select digest, name from (
    select digest, name, row_number() over (partition by digest order by last_seen_at desc, name) as place
    from image_names where digest in (${digests})
  ) named where place <= ${NAMES} order by digest, place`;

interface WorkloadRow extends Workload {
  readonly digest: string;
  readonly total: number;
}

const workloadsOf = (
  digests: RawBuilder<unknown>,
): RawBuilder<WorkloadRow> => sql<WorkloadRow>`select digest, cluster, namespace, workload as name, first_seen_at as since, total from (
    select r.digest, r.cluster, r.namespace, r.workload, r.first_seen_at, count(*) over (partition by r.digest) as total,
      row_number() over (partition by r.digest order by r.last_seen_at desc, r.cluster, r.namespace, r.workload) as place
    from running_images r
    where r.digest in (${digests})
      and not exists (select 1 from clusters c where c.name = r.cluster and c.forgotten_at is not null)
  ) running where place <= ${WORKLOADS} order by digest, place`;

const namespacesOf = (
  digests: RawBuilder<unknown>,
): RawBuilder<Row<'image_sightings', 'digest' | 'namespace'>> => sql<
  Row<'image_sightings', 'digest' | 'namespace'>
>`select digest, namespace from (
    select digest, namespace, row_number() over (partition by digest order by namespace) as place from (
      select digest, namespace from image_sightings where digest in (${digests}) and namespace <> ''
      union select digest, namespace from running_images where digest in (${digests})
    ) both_of_them
  ) seen where place <= ${NAMESPACES} order by digest, place`;

interface ScanRow {
  readonly digest: string;
  readonly scanner: string | null;
  readonly version: string | null;
  readonly at: number;
}

const scansOf = (
  digests: RawBuilder<unknown>,
): RawBuilder<ScanRow> => sql<ScanRow>`select digest, scanner, scanner_version as version, coalesce(scanned_at, recorded_at) as at
  from scans where current = 1 and digest in (${digests})`;
