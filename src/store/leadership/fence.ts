import { LeadershipError } from '../../leadership/index.ts';
import { engineOf, runText } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';

type Executor = Parameters<typeof runText>[0];

/** The name under which leadership is counted: one leader does all that only a leader may. */
const NAME = 'leader';

/**
 * raiseFence gives a new leadership its number, and takes the right to write from every earlier one. Standalone, a process calls it
 * when it starts.
 */
export async function raiseFence(store: Store, holder: string, at: number): Promise<number> {
  return store.write(async (transaction) => {
    await limitIdle(transaction);
    const [raised] = await runText<{ value: number }>(
      transaction,
      `insert into fences (name, value, holder, acquired_at) values (?, 1, ?, ?)
       on conflict (name) do update set value = fences.value + 1, holder = excluded.holder, acquired_at = excluded.acquired_at
       returning value`,
      [NAME, holder, at],
    );
    if (raised === undefined) throw new Error('a fence was not raised');
    return raised.value;
  });
}

/** standsFence tells whether no later leadership was given out. */
export async function standsFence({ read }: Pick<Store, 'read'>, fence: number): Promise<boolean> {
  const held = await runText(read, 'select 1 as held from fences where name = ? and value = ?', [
    NAME,
    fence,
  ]);
  return held.length > 0;
}

/**
 * holdFence lets a leader's transaction go on: the fence stays as it is until it ends. Throws LeadershipError `lost` when a later
 * leadership was given out.
 */
export async function holdFence(transaction: Executor, fence: number): Promise<void> {
  await limitIdle(transaction);
  const held = await runText(
    transaction,
    'update fences set value = value where name = ? and value = ? returning name',
    [NAME, fence],
  );
  if (held.length > 0) return;
  throw new LeadershipError('lost', 'another process leads now; this one writes nothing');
}

/** underFence runs a write of the leader. */
export function underFence<T>(
  store: Store,
  fence: number,
  act: (transaction: Executor) => Promise<T>,
): Promise<T> {
  return store.write(async (transaction) => {
    await holdFence(transaction, fence);
    return act(transaction);
  });
}

/** Less than a Lease lasts, so that the database has let go of a stopped leader's transaction when the next one is elected. */
const IDLE_MS = 5_000;

/**
 * limitIdle ends the transaction, and the session, of a process that stops in the middle of it: whoever holds a fence and is stopped
 * (SIGSTOP, a frozen machine) would else keep the next leader from raising it, for as long as the server waits for idle sessions. To be
 * called before the fence is held. A stopped process that holds the lock of a SQLite file cannot be helped; that has one replica.
 */
export async function limitIdle(transaction: Executor): Promise<void> {
  if (engineOf(transaction) === 'sqlite') return;
  await runText(transaction, `select set_config('idle_in_transaction_session_timeout', ?, true)`, [
    String(IDLE_MS),
  ]);
}
