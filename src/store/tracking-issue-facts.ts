import {
  findingKey,
  type FindingName,
  type FoundPackage,
  type IssueFacts,
  type KnownFinding,
  type KnownImage,
  type Workload,
} from '../trackers/index.ts';
import { runText } from './dialect.ts';
import { inChunks } from './marks.ts';
import type { Store } from './store.ts';

type Executor = Parameters<typeof runText>[0];

const NAMES = 5;
const WORKLOADS = 20;
const NAMESPACES = 200;
const PACKAGES = 50;

/** issueFacts reads what issues are written from: what the store holds of images and their findings now. */
export function issueFacts({ read }: Pick<Store, 'read'>): IssueFacts {
  return {
    async images(digests) {
      const images = new Map<string, KnownImage>();
      for (const digest of digests) {
        const image = await readImage(read, digest);
        if (image !== null) images.set(digest, image);
      }
      return images;
    },
    async findings(names) {
      const found = new Map<string, KnownFinding>();
      for (const [digest, all] of Map.groupBy(names, (name) => name.digest))
        await readFindings(read, digest, all, found);
      return found;
    },
  };
}

async function readImage(read: Executor, digest: string): Promise<KnownImage | null> {
  const [image] = await runText<{ source: string | null }>(
    read,
    'select source from images where digest = ?',
    [digest],
  );
  if (image === undefined) return null;
  const names = await runText<{ name: string }>(
    read,
    `select name from image_names where digest = ? order by last_seen_at desc, name limit ${NAMES}`,
    [digest],
  );
  const workloads = await runText<Workload & { total: number }>(
    read,
    `select r.cluster, r.namespace, r.workload as name, r.first_seen_at as since, count(*) over () as total
     from running_images r
     where r.digest = ? and not exists (select 1 from clusters c where c.name = r.cluster and c.forgotten_at is not null)
     order by r.last_seen_at desc, r.cluster, r.namespace, r.workload limit ${WORKLOADS}`,
    [digest],
  );
  const namespaces = await runText<{ namespace: string }>(
    read,
    `select namespace from image_sightings where digest = ? and namespace <> ''
     union select namespace from running_images where digest = ?
     order by namespace limit ${NAMESPACES}`,
    [digest, digest],
  );
  const [ledger] = await runText<{ id: number; at: number }>(
    read,
    'select r.id, r.at from images i join ledger_rows r on r.id = i.last_row_id where i.digest = ?',
    [digest],
  );
  const [scan] = await runText<{ scanner: string | null; version: string | null; at: number }>(
    read,
    `select scanner, scanner_version as version, coalesce(scanned_at, recorded_at) as at
     from scans where digest = ? and current = 1`,
    [digest],
  );
  return {
    names: names.map(({ name }) => name),
    source: image.source,
    workloads: workloads.map(({ cluster, namespace, name, since }) => ({ cluster, namespace, name, since })),
    workloadsTotal: workloads[0]?.total ?? 0,
    namespaces: namespaces.map(({ namespace }) => namespace),
    ledger: ledger ?? null,
    scan:
      scan === undefined
        ? null
        : {
            scanner: [scan.scanner, scan.version].filter((part) => part !== null).join(' ') || null,
            at: scan.at,
          },
  };
}

interface FoundRow extends FoundPackage {
  readonly cve: string;
  readonly kev: number | null;
}

async function readFindings(
  read: Executor,
  digest: string,
  names: readonly FindingName[],
  found: Map<string, KnownFinding>,
): Promise<void> {
  for (const { marks, cells } of inChunks(names.map(({ cve }) => cve))) {
    const rows = await runText<FoundRow>(
      read,
      `select f.cve, f.package as name, f.installed, f.fixed, f.known_exploited as kev
       from findings f join scans s on s.id = f.scan_id and s.current = 1
       where s.digest = ? and f.cve in (${marks})
       order by f.rank desc, f.ordinal`,
      [digest, ...cells],
    );
    for (const [cve, all] of Map.groupBy(rows, (row) => row.cve))
      found.set(findingKey({ digest, cve }), toFinding(all));
  }
}

function toFinding(rows: readonly FoundRow[]): KnownFinding {
  const packages = new Map<string, FoundPackage>();
  // One package in several layers or files is one line.
  for (const { name, installed, fixed } of rows)
    if (packages.size < PACKAGES)
      packages.set(JSON.stringify([name, installed, fixed]), { name, installed, fixed });
  const asked = rows.filter(({ kev }) => kev !== null);
  return {
    packages: [...packages.values()],
    knownExploited: asked.length === 0 ? null : asked.some(({ kev }) => kev === 1),
  };
}
