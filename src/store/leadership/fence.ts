import { sql } from 'kysely';
import { leaderFence, LeadershipError, type Fence } from '../../leadership/index.ts';
import { engineOf } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** One leader does all that only a leader may. */
const { name: NAME } = leaderFence(0);

/**
 * raiseFence gives a new leadership its number, and takes the right to write from every earlier one. Standalone, a process calls it
 * when it starts.
 */
export async function raiseFence(store: Store, holder: string, at: number): Promise<number> {
  return store.write(async (transaction) => {
    await limitIdle(transaction);
    const [raised] = await run(
      transaction,
      sql<
        Row<'fences', 'value'>
      >`insert into fences (name, value, holder, acquired_at) values (${NAME}, 1, ${holder}, ${at})
       on conflict (name) do update set value = fences.value + 1, holder = excluded.holder, acquired_at = excluded.acquired_at
       returning value`,
    );
    if (raised === undefined) throw new Error('a fence was not raised');
    return raised.value;
  });
}

/** standsFence tells whether no later leadership was given out. */
export async function standsFence({ read }: Pick<Store, 'read'>, fence: number): Promise<boolean> {
  const held = await run(read, sql`select 1 as held from fences where name = ${NAME} and value = ${fence}`);
  return held.length > 0;
}

/**
 * holdFence lets a leader's transaction go on: the fence stays as it is until it ends. Throws LeadershipError `lost` when a later
 * leadership was given out.
 */
export async function holdFence(transaction: Executor, { name, value }: Fence): Promise<void> {
  await limitIdle(transaction);
  const held = await run(
    transaction,
    sql`update fences set value = value where name = ${name} and value = ${value} returning name`,
  );
  if (held.length > 0) return;
  const led = name === NAME ? '' : ' the cluster';
  throw new LeadershipError('lost', `another process leads${led} now; this one writes nothing`);
}

/** underFence runs a write of the leader over the database, or of a cluster's by its fence. */
export function underFence<T>(
  store: Store,
  fence: number | Fence,
  act: (transaction: Executor) => Promise<T>,
): Promise<T> {
  return store.write(async (transaction) => {
    await holdFence(transaction, typeof fence === 'number' ? leaderFence(fence) : fence);
    return act(transaction);
  });
}

/** Less than a Lease lasts, so that the database has let go of a stopped leader's transaction when the next one is elected. */
const IDLE_MS = 5_000;

/**
 * limitIdle ends the transaction, and the session, of a process that stops in the middle of it: otherwise a stopped holder of a fence
 * (SIGSTOP, a frozen machine) would keep the next leader from raising it, for as long as the server waits for idle sessions. To be called
 * before the fence is held. A stopped process that holds the lock of a SQLite file cannot be helped; that has one replica.
 */
async function limitIdle(transaction: Executor): Promise<void> {
  if (engineOf(transaction) === 'sqlite') return;
  await run(
    transaction,
    sql`select set_config('idle_in_transaction_session_timeout', ${String(IDLE_MS)}, true)`,
  );
}
