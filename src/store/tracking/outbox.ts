import { latestWait } from '../../base/index.ts';
import { runText } from '../sql/dialect.ts';

type Executor = Parameters<typeof runText>[0];

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
      const there = await runText(
        transaction,
        'select 1 as there from outbox where throttle_key = ? and created_at > ? and created_at <= ? limit 1',
        [throttleKey, at - period, latestWait(at, 0)],
      );
      if (there.length > 0) continue;
    }
    await runText(
      transaction,
      'insert into outbox (event, throttle_key, payload, created_at, not_before) values (?, ?, ?, ?, ?)',
      [event, throttleKey, JSON.stringify(payload), at, at],
    );
  }
}
