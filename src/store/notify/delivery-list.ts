import { sql, type RawBuilder } from 'kysely';
import type { DeliveryFilter, DeliveryList } from '../../notify/index.ts';
import { inLists } from '../sql/marks.ts';
import { run } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import { COLUMNS, toDelivery, type DeliveryRow } from './deliveries.ts';

/** deliveryList lists the messages of a database, and hands them in again. */
export function deliveryList(store: Store): DeliveryList {
  const { read } = store;
  return {
    async list(filter) {
      const where = whereOf(filter);
      const rows = await run(
        read,
        sql<DeliveryRow>`select ${COLUMNS} from deliveries where ${where} order by id desc limit ${filter.limit} offset ${filter.offset}`,
      );
      const [counted] = await run(
        read,
        sql<{ total: number }>`select count(*) as total from deliveries where ${where}`,
      );
      return { items: rows.map(toDelivery), total: counted?.total ?? 0 };
    },
    resend: (channelId, which, at) =>
      store.write(async (transaction) => {
        const again = async (chosen: RawBuilder<unknown>): Promise<number> => {
          const rows = await run(
            transaction,
            sql`update deliveries set state = 'waiting', attempts = 0, first_attempt_at = null, not_before = ${at}, ended_at = null, answer = null
             where channel_id = ${channelId} and state <> 'waiting' and ${chosen} returning id`,
          );
          return rows.length;
        };
        if ('since' in which) return again(sql`state = 'failed' and created_at >= ${which.since}`);
        let sum = 0;
        for (const marks of inLists(which.messages)) sum += await again(sql`message in (${marks})`);
        return sum;
      }),
  };
}

function whereOf({ channelId, state }: DeliveryFilter): RawBuilder<unknown> {
  const ofChannel = channelId === null ? sql`1 = 1` : sql`channel_id = ${channelId}`;
  return state === null ? ofChannel : sql`${ofChannel} and state = ${state}`;
}
