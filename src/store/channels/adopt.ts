import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { AdoptionStore } from '../../channels/index.ts';
import type { Store } from '../sql/store.ts';

/** Rows of one transaction: a few milliseconds, in which reviews wait for their commit and the process answers nobody. */
const PIECE = 500;

/** adoptionStore hands the open rows of a channel that is gone to another. */
export function adoptionStore(store: Store): AdoptionStore {
  return {
    async adopt(from, by, host, record = async () => {}) {
      const orphaned = orphanedOf(from);
      const kinds = await store.read
        .selectFrom('tracking')
        .select('channel_kind')
        .distinct()
        .where(orphaned)
        .execute();
      if (kinds.length === 0) return 'none';
      if (kinds.some(({ channel_kind }) => channel_kind !== by.kind)) return 'other_kind';
      const isThere = host === null ? sql<boolean>`1 = 1` : liesOn(host);
      const whole = { adopted: 0, left: 0 };
      let after = 0;
      for (;;) {
        const rows = await store.read
          .selectFrom('tracking')
          .select('id')
          .where(orphaned)
          .where('id', '>', after)
          .orderBy('id')
          .limit(PIECE + 1)
          .execute();
        const ids = rows.slice(0, PIECE).map(({ id }) => id);
        const last = ids.at(-1);
        if (last === undefined) return whole; // closed meanwhile
        after = last;
        await store.write(async (transaction) => {
          const { numUpdatedRows } = await transaction
            .updateTable('tracking')
            // A repository of that name may be there on the adopter's host.
            .set({ closed_via: by.id, away_target: null, away_answer: null, away_times: 0 })
            .where('id', 'in', ids)
            .where(orphaned)
            .where(isThere)
            .executeTakeFirstOrThrow();
          const adopted = Number(numUpdatedRows);
          const piece = { adopted, left: ids.length - adopted };
          await record(piece);
          whole.adopted += piece.adopted;
          whole.left += piece.left;
        });
        if (rows.length <= PIECE) return whole;
        await nextTurn();
      }
    },
  };
}

/** Rows that a channel filed, or that it had adopted itself; one that a channel closes that is there is nobody's to take. */
function orphanedOf(from: string) {
  return sql<boolean>`state = 'open' and (
    coalesce(closed_via, channel_id) = ${from}
    or (channel_id = ${from} and closed_via not in (select id from channels))
  )`;
}

function liesOn(host: string) {
  const prefixes = [`https://${host}/`, `http://${host}/`].map(
    (prefix) => sql`lower(substr(issue_url, 1, ${prefix.length})) = ${prefix}`,
  );
  return sql<boolean>`(issue_url is null or ${sql.join(prefixes, sql` or `)})`;
}
