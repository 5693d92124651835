import { engineOf, runText } from './dialect.ts';
import type { AnyDatabase } from './schema.ts';

type Handle = Pick<AnyDatabase, 'getExecutor'>;

/** beginSnapshot begins a transaction that only reads, and sees one moment of every table until `endSnapshot`. */
export async function beginSnapshot(session: Handle): Promise<void> {
  if (engineOf(session) === 'postgres') {
    await runText(session, 'begin isolation level repeatable read read only', []);
    await runText(session, 'select 1', []);
    return;
  }
  // Each page is read once: a cache of them would only take memory.
  await runText(session, 'pragma cache_size = -2048', []);
  await runText(session, 'begin', []);
  // Its moment is that of the first read.
  await runText(session, 'select count(*) from sqlite_master', []);
}

/** endSnapshot ends it. */
export async function endSnapshot(session: Handle): Promise<void> {
  await runText(session, 'rollback', []);
}

/** lastIdOf gives the last number that the database counted for a table, 0 for none; null for a table without such numbers. */
export async function lastIdOf(db: Handle, table: string): Promise<number | null> {
  const [found] = await runText<{ last: number }>(db, LAST_ID[engineOf(db)], [table]);
  return found?.last ?? null;
}

const LAST_ID = {
  sqlite: `select coalesce((select seq from sqlite_sequence s where s.name = m.name), 0) as last from sqlite_master m
    where m.type = 'table' and m.name = ? and m.sql like '%autoincrement%'`,
  postgres: `select coalesce(s.last_value, 0) as last from pg_class t
    join pg_depend d on d.refobjid = t.oid and d.deptype = 'i' and d.classid = 'pg_class'::regclass
    join pg_class c on c.oid = d.objid and c.relkind = 'S'
    join pg_sequences s on s.schemaname = current_schema() and s.sequencename = c.relname
    where t.relnamespace = current_schema()::regnamespace and t.relname = ?`,
} as const;

/** setLastId lets the database count on from a number that a table had in another. */
export async function setLastId(db: Handle, table: string, last: number): Promise<void> {
  if (engineOf(db) === 'postgres') {
    await runText(
      db,
      `select setval(pg_get_serial_sequence(format('%I.%I', current_schema(), ?::text), 'id'), ?::bigint, ?::boolean)`,
      [table, Math.max(1, last), String(last > 0)],
    );
    return;
  }
  await runText(db, 'delete from sqlite_sequence where name = ?', [table]);
  if (last > 0) await runText(db, 'insert into sqlite_sequence (name, seq) values (?, ?)', [table, last]);
}

/** othersConnected gives how many sessions of ipo are open on this database beside the caller's; 0 on SQLite, whose file is locked. */
export async function othersConnected(db: Handle): Promise<number> {
  if (engineOf(db) === 'sqlite') return 0;
  const [found] = await runText<{ others: number }>(
    db,
    `select count(*) as others from pg_stat_activity
     where datname = current_database() and application_name = 'ipo' and pid <> pg_backend_pid()`,
    [],
  );
  return found?.others ?? 0;
}
