import { sql } from 'kysely';
import type { ClusterSweeps, RunningImages, Successor } from '../../trackers/index.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** runningImages tells what runs where as far as it was seen. */
export function runningImages(store: Store): RunningImages {
  return {
    clusters: () => readSweeps(store.read),
    successors: (digests, cves) => readSuccessors(store.read, digests, cves),
  };
}

/** Every cluster that is known from anywhere, with its last whole sweep. */
async function readSweeps(read: Executor): Promise<ClusterSweeps> {
  const known = await run(
    read,
    sql<Row<'clusters', 'name' | 'forgotten_at'>>`select name, forgotten_at from clusters`,
  );
  const swept = await run(
    read,
    sql<
      Row<'reconcile_sweeps', 'cluster'> & { finished_at: number }
    >`select cluster, max(finished_at) as finished_at from reconcile_sweeps where finished_at is not null group by cluster`,
  );
  const forgotten = new Set(known.flatMap(({ name, forgotten_at }) => (forgotten_at === null ? [] : [name])));
  const all = new Map<string, number | null>(known.map(({ name }) => [name, null]));
  for (const { cluster, finished_at } of swept) all.set(cluster, finished_at);
  for (const name of forgotten) all.delete(name);
  return { swept: all, forgotten };
}

/**
 * readSuccessors gives what took the place of digests: an image that the same workload was seen running after it and began to run after it (a sidecar ran
 * along with it). Of several, one under a name of the same repository comes first, then the one that came last.
 */
export async function readSuccessors(
  read: Executor,
  digests: readonly string[],
  cves: readonly string[],
): Promise<ReadonlyMap<string, Successor>> {
  const found = new Map<string, string>();
  for (const digest of new Set(digests)) {
    const names = await repositoriesOf(read, digest);
    const candidates = await run(
      read,
      sql<
        Row<'running_images', 'digest' | 'first_seen_at'>
      >`select n.digest, max(n.first_seen_at) as first_seen_at from running_images o
       join running_images n on n.cluster = o.cluster and n.namespace = o.namespace and n.workload = o.workload
       where o.digest = ${digest} and n.digest <> o.digest and n.last_seen_at > o.last_seen_at and n.first_seen_at > o.first_seen_at
         and not exists (select 1 from clusters c where c.name = o.cluster and c.forgotten_at is not null)
       group by n.digest order by 2 desc, 1`,
    );
    let next = candidates[0]?.digest;
    for (const candidate of candidates) {
      const own = await repositoriesOf(read, candidate.digest);
      if (!own.some((name) => names.includes(name))) continue;
      next = candidate.digest;
      break;
    }
    if (next !== undefined) found.set(digest, next);
  }
  const reported = await readReported(read, [...new Set(found.values())], cves);
  return new Map([...found].map(([old, digest]) => [old, { digest, cves: reported.get(digest) ?? null }]));
}

async function repositoriesOf(read: Executor, digest: string): Promise<string[]> {
  const rows = await run(
    read,
    sql<
      Row<'image_names', 'name'>
    >`select name from image_names where digest = ${digest} order by last_seen_at desc, name limit 50`,
  );
  return rows.map(({ name }) => name.replace(/@.*$/s, '').replace(/:[^/:]*$/s, ''));
}

async function readReported(
  read: Executor,
  digests: readonly string[],
  cves: readonly string[],
): Promise<Map<string, Set<string>>> {
  const reported = new Map<string, Set<string>>();
  for (const digest of digests) {
    const [scan] = await run(
      read,
      sql<Row<'scans', 'id'>>`select id from scans where digest = ${digest} and current = 1`,
    );
    if (scan === undefined) continue;
    const has = new Set<string>();
    for (const marks of inLists(cves)) {
      const rows = await run(
        read,
        sql<
          Row<'findings', 'cve'>
        >`select distinct cve from findings where scan_id = ${scan.id} and cve in (${marks})`,
      );
      for (const { cve } of rows) has.add(cve);
    }
    reported.set(digest, has);
  }
  return reported;
}
