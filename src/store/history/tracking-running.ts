import type { ClusterSweeps, RunningImages, Successor } from '../../trackers/index.ts';
import { runText } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';

type Executor = Parameters<typeof runText>[0];

/** runningImages tells what runs where as far as it was seen. */
export function runningImages(store: Store): RunningImages {
  return {
    clusters: () => readSweeps(store.read),
    successors: (digests, cves) => readSuccessors(store.read, digests, cves),
  };
}

/** Every cluster that is known from anywhere, with its last whole sweep. */
async function readSweeps(read: Executor): Promise<ClusterSweeps> {
  const known = await runText<{ name: string; forgotten_at: number | null }>(
    read,
    'select name, forgotten_at from clusters',
    [],
  );
  const swept = await runText<{ cluster: string; finished_at: number }>(
    read,
    'select cluster, max(finished_at) as finished_at from reconcile_sweeps where finished_at is not null group by cluster',
    [],
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
    const candidates = await runText<{ digest: string; first_seen_at: number }>(
      read,
      `select n.digest, max(n.first_seen_at) as first_seen_at from running_images o
       join running_images n on n.cluster = o.cluster and n.namespace = o.namespace and n.workload = o.workload
       where o.digest = ? and n.digest <> o.digest and n.last_seen_at > o.last_seen_at and n.first_seen_at > o.first_seen_at
         and not exists (select 1 from clusters c where c.name = o.cluster and c.forgotten_at is not null)
       group by n.digest order by 2 desc, 1`,
      [digest],
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
  const rows = await runText<{ name: string }>(
    read,
    'select name from image_names where digest = ? order by last_seen_at desc, name limit 50',
    [digest],
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
    const [scan] = await runText<{ id: number }>(
      read,
      'select id from scans where digest = ? and current = 1',
      [digest],
    );
    if (scan === undefined) continue;
    const has = new Set<string>();
    for (const { marks, cells } of inChunks(cves)) {
      const rows = await runText<{ cve: string }>(
        read,
        `select distinct cve from findings where scan_id = ? and cve in (${marks})`,
        [scan.id, ...cells],
      );
      for (const { cve } of rows) has.add(cve);
    }
    reported.set(digest, has);
  }
  return reported;
}
