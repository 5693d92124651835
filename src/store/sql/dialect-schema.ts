import { engineOf, runText } from './dialect.ts';
import type { AnyDatabase } from './schema.ts';

/** SchemaPart is a column, a key, an index or a reference of a table, told in the same words on both engines. */
export interface SchemaPart {
  readonly table: string;
  /** `column email`, `key`, `index sessions_by_account_id` or `reference account_id`. */
  readonly part: string;
  /** What it is: `text!`, the columns of a key, `unique`, what it refers to. */
  readonly is: string;
}

/** readSchema gives every part of the tables of this database (PostgreSQL: of the schema that it works in). */
export async function readSchema(db: Pick<AnyDatabase, 'getExecutor'>): Promise<SchemaPart[]> {
  const parts: SchemaPart[] = [];
  for (const text of PARTS[engineOf(db)]) parts.push(...(await runText<SchemaPart>(db, text, [])));
  return parts;
}

const OWN = `m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'`;

/** A key of PostgreSQL refuses null, and one of SQLite is written as if it did not. */
const SQLITE = [
  `select m.name as "table", 'column ' || p.name as part,
     lower(p.type) || case when p."notnull" or p.pk > 0 then '!' else '' end as "is"
   from sqlite_master m join pragma_table_info(m.name) p where ${OWN}`,
  `select "table", 'key' as part, group_concat(name, ', ') as "is" from (
     select m.name as "table", p.name from sqlite_master m join pragma_table_info(m.name) p
     where ${OWN} and p.pk > 0 order by m.name, p.pk) group by "table"`,
  `select m.name as "table", 'index ' || substr(i.name, 1, 63) as part,
     case when i."unique" then 'unique' else 'plain' end || case when i.partial then ', partial' else '' end as "is"
   from sqlite_master m join pragma_index_list(m.name) i where ${OWN} and i.origin = 'c'`,
  `select m.name as "table", 'reference ' || f."from" as part, f."table" || '.' || f."to" || ' ' || lower(f.on_delete) as "is"
   from sqlite_master m join pragma_foreign_key_list(m.name) f where ${OWN}`,
];

const HERE = `t.relnamespace = current_schema()::regnamespace and t.relkind = 'r'`;

const POSTGRES = [
  `select t.relname as "table", 'column ' || a.attname as part,
     case a.atttypid when 'bigint'::regtype then 'integer' when 'bytea'::regtype then 'blob'
       else format_type(a.atttypid, a.atttypmod) end || case when a.attnotnull then '!' else '' end as "is"
   from pg_class t join pg_attribute a on a.attrelid = t.oid where ${HERE} and a.attnum > 0 and not a.attisdropped`,
  `select t.relname as "table", 'key' as part, string_agg(a.attname, ', ' order by k.place) as "is"
   from pg_class t join pg_index i on i.indrelid = t.oid and i.indisprimary
     cross join unnest(i.indkey) with ordinality k (attnum, place)
     join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum where ${HERE} group by t.relname`,
  `select t.relname as "table", 'index ' || c.relname as part,
     case when i.indisunique then 'unique' else 'plain' end
       || case when i.indpred is null then '' else ', partial' end as "is"
   from pg_class t join pg_index i on i.indrelid = t.oid and not i.indisprimary join pg_class c on c.oid = i.indexrelid
   where ${HERE}`,
  `select t.relname as "table", 'reference ' || a.attname as part,
     o.relname || '.' || b.attname || case f.confdeltype when 'c' then ' cascade' else ' no action' end as "is"
   from pg_class t join pg_constraint f on f.conrelid = t.oid and f.contype = 'f' join pg_class o on o.oid = f.confrelid
     join pg_attribute a on a.attrelid = t.oid and a.attnum = f.conkey[1]
     join pg_attribute b on b.attrelid = o.oid and b.attnum = f.confkey[1] where ${HERE}`,
];

const PARTS = { sqlite: SQLITE, postgres: POSTGRES } as const;
