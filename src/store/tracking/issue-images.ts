import type { KnownImage, Workload } from '../../trackers/index.ts';
import { runText } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';

type Executor = Parameters<typeof runText>[0];

const NAMES = 5;
const WORKLOADS = 20;
const NAMESPACES = 200;

/** readImages puts what is known of images into a map; what is not known at all is left out. As many statements for one as for many. */
export async function readImages(
  read: Executor,
  digests: readonly string[],
  images: Map<string, KnownImage>,
): Promise<void> {
  for (const { marks, cells } of inChunks(digests)) {
    const ask = async <Row extends { readonly digest: string }>(
      text: string,
      times = 1,
    ): Promise<ReadonlyMap<string, readonly Row[]>> => {
      const rows = await runText<Row>(
        read,
        text.replaceAll('(…)', `(${marks})`),
        Array<readonly string[]>(times).fill(cells).flat(),
      );
      return Map.groupBy(rows, ({ digest }) => digest);
    };
    const known = await ask<ImageRow>(IMAGES);
    const names = await ask<NameRow>(NAMED);
    const workloads = await ask<WorkloadRow>(RUNNING);
    const namespaces = await ask<NamespaceRow>(SEEN, 2);
    const scans = await ask<ScanRow>(SCANS);
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

const IMAGES = `select i.digest, i.source, r.id as "row", r.at from images i left join image_states t on t.digest = i.digest
  left join ledger_rows r on r.id = coalesce(t.last_row_id, i.last_row_id)
  where i.digest in (…)`;

interface NameRow {
  readonly digest: string;
  readonly name: string;
}

const NAMED = `select digest, name from (
    select digest, name, row_number() over (partition by digest order by last_seen_at desc, name) as place
    from image_names where digest in (…)
  ) named where place <= ${NAMES} order by digest, place`;

interface WorkloadRow extends Workload {
  readonly digest: string;
  readonly total: number;
}

const RUNNING = `select digest, cluster, namespace, workload as name, first_seen_at as since, total from (
    select r.digest, r.cluster, r.namespace, r.workload, r.first_seen_at, count(*) over (partition by r.digest) as total,
      row_number() over (partition by r.digest order by r.last_seen_at desc, r.cluster, r.namespace, r.workload) as place
    from running_images r
    where r.digest in (…)
      and not exists (select 1 from clusters c where c.name = r.cluster and c.forgotten_at is not null)
  ) running where place <= ${WORKLOADS} order by digest, place`;

interface NamespaceRow {
  readonly digest: string;
  readonly namespace: string;
}

const SEEN = `select digest, namespace from (
    select digest, namespace, row_number() over (partition by digest order by namespace) as place from (
      select digest, namespace from image_sightings where digest in (…) and namespace <> ''
      union select digest, namespace from running_images where digest in (…)
    ) both_of_them
  ) seen where place <= ${NAMESPACES} order by digest, place`;

interface ScanRow {
  readonly digest: string;
  readonly scanner: string | null;
  readonly version: string | null;
  readonly at: number;
}

const SCANS = `select digest, scanner, scanner_version as version, coalesce(scanned_at, recorded_at) as at
  from scans where current = 1 and digest in (…)`;
