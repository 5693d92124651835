import { sql } from 'kysely';
import { connect } from '../engine/connect.ts';
import { parseLocation } from '../engine/location.ts';
import { othersConnected } from '../sql/dialect-backup.ts';
import { tableNames } from '../sql/dialect.ts';
import { run, type Row } from '../sql/run.ts';
import type { Tables } from '../tables/index.ts';

/** AtWork is what shows that a service works on a database, and what it has left in spools. */
export interface AtWork {
  /** Sessions of ipo on the server. */
  readonly sessions: number;
  /** Replicas that have neither ended nor been forgotten. Times are UTC milliseconds. */
  readonly replicas: readonly { readonly name: string; readonly seenAt: number; readonly waiting: number }[];
}

/** othersAtWork looks who works on a database. It writes nothing. Throws StoreError. */
export async function othersAtWork(url: string): Promise<AtWork> {
  const db = await connect<Tables>(parseLocation(url), { readOnly: true, mustExist: true, poolSize: 1 });
  try {
    const sessions = await othersConnected(db);
    if (!(await tableNames(db)).includes('replicas')) return { sessions, replicas: [] };
    const rows = await run(
      db,
      sql<
        Row<'replicas', 'name' | 'seen_at' | 'waiting_rows'>
      >`select name, seen_at, waiting_rows from replicas where ended_at is null and forgotten_at is null order by name`,
    );
    return {
      sessions,
      replicas: rows.map(({ name, seen_at: seenAt, waiting_rows: waiting }) => ({ name, seenAt, waiting })),
    };
  } finally {
    await db.destroy();
  }
}
