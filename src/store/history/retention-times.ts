import { sql } from 'kysely';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const KEY = 'retention.reached';

/** How far retention has come; see RetentionTime. */
interface Reached {
  readonly at: number;
  readonly ahead: number;
  readonly stood: number;
}

/** retentionTimes keeps in the settings of the database how far retention has come. */
export function retentionTimes(store: Store) {
  return {
    reached: () => readReached(store.read),
    keep: (reached: Reached): Promise<void> =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`insert into settings (key, value) values (${KEY}, ${JSON.stringify({ at: reached.at, ahead: reached.ahead, stood: reached.stood })}) on conflict (key) do update set value = excluded.value`,
        );
      }),
  };
}

/** retentionNow gives the time that a transaction of this moment deletes by: not ahead of what retention has come to. */
export async function retentionNow(transaction: Executor, at: number): Promise<number> {
  return Math.min(at, (await readReached(transaction))?.at ?? at);
}

async function readReached(from: Executor): Promise<Reached | null> {
  const [row] = await run(from, sql<Row<'settings', 'value'>>`select value from settings where key = ${KEY}`);
  return row === undefined ? null : (JSON.parse(row.value) as Reached);
}
