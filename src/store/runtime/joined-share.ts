import { sql } from 'kysely';
import { run } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** Newest events that are looked at. */
const NEWEST = 1000;

/** JoinedShare is how many events of containers there were, and how many were joined to an image by which way. */
export interface JoinedShare {
  readonly events: number;
  /** By the digest that the event names. */
  readonly byField: number;
  /** By the pod or the container that it names. */
  readonly byPod: number;
}

/** joinedShare counts them among the newest decided events since a time, UTC milliseconds. */
export async function joinedShare({ read }: Pick<Store, 'read'>, since: number): Promise<JoinedShare> {
  const [found] = await run(
    read,
    sql<JoinedShare>`select count(*) as events, count(case when match_basis = 'field' then 1 end) as "byField",
        count(case when match_basis = 'pod' then 1 end) as "byPod"
      from (select at, kind, container, match_basis from runtime_events order by id desc limit ${NEWEST}) newest
      where at >= ${since} and kind = 'event' and match_basis is not null and container is not null`,
  );
  return found ?? { events: 0, byField: 0, byPod: 0 };
}
