import { sql } from 'kysely';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** FenceHolder is the newest leadership that was given out, and the name that it was raised under. */
export interface FenceHolder {
  readonly fence: number;
  readonly holder: string;
}

/** readFence gives the newest leadership over this database; null before the first. */
export async function readFence({ read }: Pick<Store, 'read'>): Promise<FenceHolder | null> {
  const [row] = await run(
    read,
    sql<Row<'fences', 'value' | 'holder'>>`select value, holder from fences where name = 'leader'`,
  );
  return row === undefined ? null : { fence: row.value, holder: row.holder ?? '' };
}

/** The row that tells whether the leader over the database is still there. */
const ALIVE = 'leader alive';

/** keepAlive notes that the leader of this fence is there; nothing once a later leadership was given out. */
export async function keepAlive(store: Store, fence: number, at: number): Promise<void> {
  await store.write(async (transaction) => {
    await run(
      transaction,
      sql`insert into fences (name, value, acquired_at) select ${sql.lit(ALIVE)}, 1, ${at} from fences where name = 'leader' and value = ${fence}
       on conflict (name) do update set value = fences.value + 1, acquired_at = excluded.acquired_at`,
    );
  });
}

/** readAlive gives a number that grows as long as the leader over this database is there; 0 before the first. */
export async function readAlive({ read }: Pick<Store, 'read'>): Promise<number> {
  const [row] = await run(
    read,
    sql<Row<'fences', 'value'>>`select value from fences where name = ${sql.lit(ALIVE)}`,
  );
  return row?.value ?? 0;
}
