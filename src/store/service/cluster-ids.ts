import { sql } from 'kysely';
import { byCodeUnit } from '../../base/index.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** ClusterIds keep which clusters report under a name, so that two with one name are found. */
export interface ClusterIds {
  /** Says that the cluster of this id reports under the name. `at`: UTC milliseconds. */
  seen(name: string, id: string, at: number): Promise<void>;
  /** Ids of other clusters that reported under the name since then. */
  others(name: string, id: string, since: number): Promise<readonly string[]>;
}

const KEY = 'cluster_id.';

/** clusterIds keeps them in the settings of a database. */
export function clusterIds(store: Store): ClusterIds {
  const prefix = (name: string): string => `${KEY}${name} `;
  return {
    seen: (name, id, at) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`insert into settings (key, value) values (${prefix(name) + id}, ${String(at)})
            on conflict (key) do update set value = excluded.value`,
        );
      }),
    async others(name, id, since) {
      const start = prefix(name);
      const rows = await run(
        store.read,
        sql<
          Row<'settings', 'key' | 'value'>
        >`select key, value from settings where key >= ${start} and key < ${`${start}~`}`,
      );
      return (
        rows
          .filter(({ key, value }) => key !== start + id && Number(value) >= since)
          .map(({ key }) => key.slice(start.length))
          // An id has no blank: what has one is of a longer name.
          .filter((other) => !other.includes(' '))
          .toSorted(byCodeUnit)
      );
    },
  };
}
