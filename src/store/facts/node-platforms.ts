import { sql } from 'kysely';
import { DAY_MS } from '../../base/index.ts';
import { insertMany } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Nodes of a platform come and go where they are scaled: it stays wanted for so long after the last one was seen. */
const KEPT_MS = DAY_MS;
/** What was seen is written down again after so long, and at once where it changed. */
const FRESH_MS = 60 * 60_000;
/** A cluster whose nodes nobody told of for so long is gone. */
const GONE_MS = 30 * DAY_MS;

/** The name of a service outside a cluster; no cluster has it. */
const ALONE = '(alone)';

/** wantedPlatforms gives the platforms that nodes of any cluster have; none where nobody said. */
export async function wantedPlatforms(read: Executor): Promise<readonly string[]> {
  const rows = await run(
    read,
    sql<Row<'node_platforms', 'platform'>>`select distinct platform from node_platforms order by platform`,
  );
  return rows.map(({ platform }) => platform);
}

/**
 * seePlatforms notes which platforms the nodes of a cluster have (null: a service outside a cluster), and returns whether that changed the
 * wanted ones. With null for nodes that are not known, what was known stays, or `fallback` stands until they are.
 */
export async function seePlatforms(
  store: Store,
  own: string | null,
  seen: readonly string[] | null,
  fallback: string,
  at: number,
): Promise<boolean> {
  const cluster = own ?? ALONE;
  if (await isKnown(store.read, cluster, seen, fallback, at)) return false;
  return store.write(async (transaction) => {
    const before = await wantedPlatforms(transaction);
    const types = { cluster: 'text', platform: 'text', seen_at: 'integer' } as const;
    if (seen === null || seen.length === 0) {
      await run(
        transaction,
        sql`delete from node_platforms where cluster = ${cluster} and seen_at = 0 and platform <> ${fallback}`,
      );
      const [known] = await run(
        transaction,
        sql`select platform from node_platforms where cluster = ${cluster} limit 1`,
      );
      if (known !== undefined) return before.join(' ') !== (await wantedPlatforms(transaction)).join(' ');
      // As if seen long ago: it goes with the first nodes that are seen.
      await insertMany(transaction, 'node_platforms', types, [[cluster, fallback, 0]]);
    } else {
      await insertMany(
        transaction,
        'node_platforms',
        types,
        seen.toSorted().map((platform) => [cluster, platform, at]),
        'on conflict (cluster, platform) do update set seen_at = excluded.seen_at',
      );
      // A service that ran outside a cluster here before has no nodes, and nobody reports that a cluster is gone.
      await run(
        transaction,
        sql`delete from node_platforms where (cluster = ${cluster} and seen_at < ${at - KEPT_MS}) or cluster = ${sql.lit(ALONE)} or (seen_at > 0 and seen_at < ${at - GONE_MS})`,
      );
    }
    const after = await wantedPlatforms(transaction);
    return before.join(' ') !== after.join(' ');
  });
}

/** Whether there is nothing to write: this is asked every few seconds. */
async function isKnown(
  read: Executor,
  cluster: string,
  seen: readonly string[] | null,
  fallback: string,
  at: number,
): Promise<boolean> {
  const rows = await run(
    read,
    sql<
      Row<'node_platforms', 'platform' | 'seen_at'>
    >`select platform, seen_at from node_platforms where cluster = ${cluster}`,
  );
  if (seen === null || seen.length === 0)
    return rows.length > 0 && rows.every(({ platform, seen_at }) => seen_at > 0 || platform === fallback);
  const fresh = new Set(
    rows.filter(({ seen_at }) => seen_at >= at - FRESH_MS).map(({ platform }) => platform),
  );
  return (
    seen.every((platform) => fresh.has(platform)) && rows.every(({ seen_at }) => seen_at >= at - KEPT_MS)
  );
}
