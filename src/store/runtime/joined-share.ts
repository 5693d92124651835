import { sql } from 'kysely';
import { run } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';

/** Newest events that are looked at. */
const NEWEST = 1000;

/** JoinedShare is how many events of containers were joined to an image. */
export interface JoinedShare {
  readonly events: number;
  readonly joined: number;
}

/** joinedShare counts them among the newest decided events since a time, UTC milliseconds. */
export async function joinedShare({ read }: Pick<Store, 'read'>, since: number): Promise<JoinedShare> {
  const [found] = await run(
    read,
    sql<JoinedShare>`select count(*) as events, count(case when match_basis <> 'none' then 1 end) as joined
      from (select at, kind, container, match_basis from runtime_events order by id desc limit ${NEWEST}) newest
      where at >= ${since} and kind = 'event' and match_basis is not null and container is not null`,
  );
  return found ?? { events: 0, joined: 0 };
}
