import { sql, type Kysely } from 'kysely';
import { columnType, engineOf, tableEnd, type ColumnType } from './dialect.ts';

/**
 * Column describes a column of a migration in short: its type, with `!` where null is refused and `!=X` for a default beside that (a
 * text's may be empty). `id` is an integer primary key that the database counts.
 */
export type Column =
  | 'id'
  | `${'text' | 'integer' | 'blob'}${'' | '!'}`
  | `text!=${string}`
  | `integer!=${number}`;

/** TableKeys are a table's keys; `key` is its primary key, left out where a column is `id`. */
export interface TableKeys {
  readonly key?: readonly string[];
  /** `column: 'table.column'`; the row goes when the other goes. */
  readonly belongsTo?: Readonly<Record<string, `${string}.${string}`>>;
  /** Keeps the rows in the key's own tree on SQLite: for narrow rows that are read by their key. */
  readonly clustered?: boolean;
}

/** AnyDatabase is the handle of a migration: it knows no tables, since they are those of its time. */
// eslint-disable-next-line typescript/no-explicit-any
export type AnyDatabase = Kysely<any>;

/** createTable makes a table, the same on both engines. */
export async function createTable(
  db: AnyDatabase,
  name: string,
  columns: Readonly<Record<string, Column>>,
  keys: TableKeys = {},
): Promise<void> {
  const engine = engineOf(db);
  let table = db.schema.createTable(name);
  for (const [column, text] of Object.entries(columns)) {
    const { type, notNull, value } = readColumn(text);
    table = table.addColumn(column, columnType(engine, type), (made) => {
      const set = notNull ? made.notNull() : made;
      const whole = value === null ? set : set.defaultTo(value);
      const owner = keys.belongsTo?.[column];
      return owner === undefined ? whole : whole.references(owner).onDelete('cascade');
    });
  }
  if (keys.key !== undefined) table = table.addPrimaryKeyConstraint(`${name}_key`, [...keys.key] as never[]);
  await table.modifyEnd(tableEnd(engine, keys.clustered === true)).execute();
}

/** addColumns adds columns to a table; one that refuses null needs a default. */
export async function addColumns(
  db: AnyDatabase,
  table: string,
  columns: Readonly<Record<string, Column>>,
): Promise<void> {
  const engine = engineOf(db);
  for (const [column, text] of Object.entries(columns)) {
    const { type, notNull, value } = readColumn(text);
    await db.schema
      .alterTable(table)
      .addColumn(column, columnType(engine, type), (made) => {
        const set = notNull ? made.notNull() : made;
        return value === null ? set : set.defaultTo(value);
      })
      .execute();
  }
}

/** createIndex makes an index; `where` limits it to some rows. */
export async function createIndex(
  db: AnyDatabase,
  table: string,
  columns: readonly string[],
  options: { readonly name?: string; readonly unique?: boolean; readonly where?: string } = {},
): Promise<void> {
  const name = options.name ?? `${table}_by_${columns.join('_').replaceAll(/\W+/g, '_')}`;
  const list = columns.map((column) => {
    const [bare = '', order] = column.split(' ');
    return order === 'desc' ? `"${bare}" desc` : `"${bare}"`;
  });
  const where = options.where === undefined ? '' : ` where ${options.where}`;
  const unique = options.unique === true ? 'unique ' : '';
  await sql.raw(`create ${unique}index "${name}" on "${table}" (${list.join(', ')})${where}`).execute(db);
}

function readColumn(text: Column): { type: ColumnType; notNull: boolean; value: string | number | null } {
  const found = /^(text|integer|blob|id)(!?)(?:=(.*))?$/.exec(text);
  if (found === null) throw new TypeError(`no column is written '${text}'`);
  const [, type, mark, value = null] = found;
  const set = value === null || type !== 'integer' ? value : Number(value);
  return { type: type as ColumnType, notNull: mark === '!', value: set };
}
