import { sql } from 'kysely';
import { run, type Executor } from '../sql/run.ts';

/** A time during which one revision of a policy was in effect. */
interface Stay {
  readonly revision: string;
  readonly from_at: number;
  readonly until_at: number | null;
}

/**
 * followPolicy keeps from when to when each revision of a policy is in effect, in the transaction that changes it; `revision` null takes it
 * out of force. A revision that comes back is in effect twice. A clock that was set back makes no stay end before it begins.
 */
export async function followPolicy(
  transaction: Executor,
  name: string,
  revision: string | null,
  at: number,
): Promise<void> {
  const [last] = await run(
    transaction,
    sql<Stay>`select revision, from_at, until_at from policy_history where name = ${name} order by from_at desc limit 1`,
  );
  const standing = last?.until_at === null ? last : undefined;
  if ((standing?.revision ?? null) === revision) return;
  const when = Math.max(at, last?.until_at ?? last?.from_at ?? at);
  if (standing !== undefined)
    await run(
      transaction,
      sql`update policy_history set until_at = ${when} where name = ${name} and from_at = ${standing.from_at}`,
    );
  if (revision === null) return;
  // What was in effect for less than a millisecond was not.
  await run(
    transaction,
    sql`insert into policy_history (name, from_at, revision) values (${name}, ${when}, ${revision})
     on conflict (name, from_at) do update set revision = excluded.revision, until_at = null`,
  );
}
