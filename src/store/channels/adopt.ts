import { sql } from 'kysely';
import type { AdoptionStore } from '../../channels/index.ts';
import type { Store } from '../sql/store.ts';

/** adoptionStore hands the open rows of a channel that is gone to another. */
export function adoptionStore(store: Store): AdoptionStore {
  return {
    adopt: (from, by, host) =>
      store.write(async (transaction) => {
        // Rows that it filed, or that it had adopted itself; one that a channel closes that is there is nobody's to take.
        const orphaned = sql<boolean>`state = 'open' and (
          coalesce(closed_via, channel_id) = ${from}
          or (channel_id = ${from} and closed_via not in (select id from channels))
        )`;
        const kinds = await transaction
          .selectFrom('tracking')
          .select((of) => ['channel_kind', of.fn.countAll<number>().as('rows')])
          .where(orphaned)
          .groupBy('channel_kind')
          .execute();
        if (kinds.length === 0) return 'none';
        if (kinds.some(({ channel_kind }) => channel_kind !== by.kind)) return 'other_kind';
        const total = kinds.reduce((sum, { rows }) => sum + rows, 0);
        const isThere = host === null ? sql<boolean>`1 = 1` : liesOn(host);
        const { numUpdatedRows } = await transaction
          .updateTable('tracking')
          // A repository of that name may be there on the adopter's host.
          .set({ closed_via: by.id, away_target: null, away_answer: null, away_times: 0 })
          .where(orphaned)
          .where(isThere)
          .executeTakeFirstOrThrow();
        const adopted = Number(numUpdatedRows);
        return { adopted, left: total - adopted };
      }),
  };
}

function liesOn(host: string) {
  const prefixes = [`https://${host}/`, `http://${host}/`].map(
    (prefix) => sql`lower(substr(issue_url, 1, ${prefix.length})) = ${prefix}`,
  );
  return sql<boolean>`(issue_url is null or ${sql.join(prefixes, sql` or `)})`;
}
