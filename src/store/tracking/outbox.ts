import { sql } from 'kysely';
import { latestWait } from '../../base/index.ts';
import { run, type Executor } from '../sql/run.ts';

/** OutboxEvent is an event for the channels. */
export interface OutboxEvent {
  readonly event: string;
  /** Two events with one key within the period are one; null for never. */
  readonly throttleKey: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * writeOutbox keeps events until they are delivered, in the transaction of the act that they tell of, so that neither is there
 * without the other. `at` and `period` are milliseconds; an event whose key was written within the period before is left out.
 */
export async function writeOutbox(
  transaction: Executor,
  events: readonly OutboxEvent[],
  at: number,
  period: number,
): Promise<void> {
  for (const { event, throttleKey, payload } of events) {
    if (throttleKey !== null) {
      const there = await run(
        transaction,
        sql`select 1 as there from outbox where throttle_key = ${throttleKey} and created_at > ${at - period} and created_at <= ${latestWait(at, 0)} limit 1`,
      );
      if (there.length > 0) continue;
    }
    await run(
      transaction,
      sql`insert into outbox (event, throttle_key, payload, created_at, not_before) values (${event}, ${throttleKey}, ${JSON.stringify(payload)}, ${at}, ${at})`,
    );
  }
}
