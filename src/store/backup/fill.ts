import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Kysely, type Transaction } from 'kysely';
import { BackupError, type BackupHeader, type BackupPart, type BackupTable } from '../../backup/index.ts';
import { connect } from '../engine/connect.ts';
import { parseLocation } from '../engine/location.ts';
import { keepOwner } from '../engine/sqlite-file.ts';
import { openBulk, settleBulk } from '../engine/sqlite.ts';
import { createHistory } from '../migrations/history.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { setLastId } from '../sql/dialect-backup.ts';
import { lockMigrations } from '../sql/dialect-lock.ts';
import { insertMany, isDuplicate, isRefused, type Cell } from '../sql/dialect.ts';
import type { AnyDatabase } from '../sql/schema.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Tables } from '../tables/index.ts';
import { tablesAt } from './shape.ts';
import { isEmptyDatabase, isTaken, notEmpty, refuseUnlessEmpty } from './target.ts';

/** FillOptions say how a database is filled. */
export interface FillOptions {
  /** Name of the backup for messages. */
  readonly name: string;
  readonly now: () => number;
  readonly progress?: ((rows: number) => void) | undefined;
  /** Called before anything is written; what it throws leaves nothing. */
  readonly begun?: ((part: Extract<BackupPart, { part: 'header' }>) => Promise<void>) | undefined;
  /** What is done in the same transaction once all rows are there and the schema is the newest; what it throws leaves nothing. */
  readonly finish?: ((transaction: Transaction<Tables>, filled: Filled) => Promise<void>) | undefined;
}

/** Filled is what a database was filled with. */
export interface Filled {
  readonly header: BackupHeader;
  readonly end: Extract<BackupPart, { part: 'end' }>;
}

/**
 * fillDatabase fills an empty database with a backup and brings it to the newest schema: one transaction on PostgreSQL, a file that takes its
 * name at the very end on SQLite, so that a process that is killed leaves an empty database. Throws BackupError and StoreError.
 */
export async function fillDatabase(
  url: string,
  parts: AsyncIterable<BackupPart>,
  options: FillOptions,
): Promise<Filled> {
  await refuseUnlessEmpty(url);
  const location = parseLocation(url);
  if (location.engine === 'sqlite') return fillFile(location.file, parts, options);
  const connecting = { readOnly: false, mustExist: true, poolSize: 1, statementTimeout: 0 };
  const db = await connect<Tables>(location, connecting);
  try {
    return await db.transaction().execute(async (transaction) => {
      await lockMigrations(transaction, 10_000);
      if (!(await isEmptyDatabase(transaction))) throw notEmpty(location);
      return fill(transaction, parts, options);
    });
  } finally {
    await db.destroy();
  }
}

async function fillFile(
  file: string,
  parts: AsyncIterable<BackupPart>,
  options: FillOptions,
): Promise<Filled> {
  const temporary = join(dirname(file), `.${randomBytes(6).toString('hex')}.ipo-tmp`);
  const drop = (): void => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporary + end, { force: true });
  };
  const db = new Kysely<Tables>({ dialect: openBulk(temporary) });
  try {
    let filled: Filled;
    try {
      filled = await db.transaction().execute((transaction) => fill(transaction, parts, options));
    } finally {
      await db.destroy();
    }
    settleBulk(temporary);
    sync(temporary);
    keepOwner(temporary, dirname(file));
    if (isTaken(file)) throw notEmpty({ name: file });
    rmSync(file, { force: true }); // an empty one
    take(temporary, file);
    sync(dirname(file));
    return filled;
  } finally {
    drop();
  }
}

/** A link fails where somebody was faster; a rename would replace what they made. */
function take(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw notEmpty({ name: file });
    renameSync(temporary, file); // a file system without links
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Fills an empty database inside a transaction. */
async function fill(
  transaction: Transaction<Tables>,
  parts: AsyncIterable<BackupPart>,
  options: FillOptions,
): Promise<Filled> {
  const db: AnyDatabase = transaction;
  let header: BackupHeader | null = null;
  let rows = 0;
  for await (const part of parts) {
    if (part.part === 'header') {
      ({ header } = part);
      checkLevel(header, options.name);
      await checkTables(header, options.name);
      await options.begun?.(part);
      await makeSchema(db, header);
    } else if (part.part === 'table') {
      if (part.lastId !== null) await setLastId(db, part.table.name, part.lastId);
    } else if (part.part === 'rows') {
      await insertRows(db, part.table, part.rows, options.name);
      // A row that is inserted counts on from what the header of its table says.
      options.progress?.((rows += part.rows.length));
    } else if (header !== null) {
      await finishSchema(db, header, options.now());
      const filled = { header, end: part };
      await options.finish?.(transaction, filled);
      return filled;
    }
  }
  throw new BackupError('integrity', `${options.name} is damaged: it ends too early`);
}

function checkLevel({ migrations, release }: BackupHeader, name: string): void {
  migrations.forEach((migration, at) => {
    const known = MIGRATIONS[at];
    if (known === undefined)
      throw new BackupError(
        'migration',
        `${name} is of a newer release (${migration} of ${release}); this program knows the database up to ${MIGRATIONS.at(-1)?.name ?? 'nothing'}`,
        { hint: `Restore it with release ${release} or a later one; nothing was written` },
      );
    if (known.name !== migration)
      throw new BackupError('format', `${name} has the migration ${migration} where ${known.name} belongs`, {
        hint: 'A build that is not a release made it; restore it with that build',
      });
  });
}

async function checkTables(header: BackupHeader, name: string): Promise<void> {
  const wanted = (await tablesAt(header.migrations.length)).map(({ name: table, columns }) => ({
    name: table,
    columns,
  }));
  if (JSON.stringify(wanted) !== JSON.stringify(header.tables))
    throw new BackupError(
      'integrity',
      `${name} is damaged: its tables are not those of ${header.migrations.at(-1)}`,
      { hint: 'Nothing was restored. Use another copy' },
    );
}

async function makeSchema(db: AnyDatabase, header: BackupHeader): Promise<void> {
  await createHistory(db);
  for (const { up } of MIGRATIONS.slice(0, header.migrations.length)) await up(db);
  // What a migration puts into a table is in the backup as well.
  for (const { name } of header.tables.toReversed()) await db.deleteFrom(name).execute();
}

async function insertRows(
  db: AnyDatabase,
  { name: table, columns }: BackupTable,
  rows: readonly (readonly (string | number | null)[])[],
  name: string,
): Promise<void> {
  const types = Object.values(columns);
  const isBlob = types.includes('blob');
  const cells = isBlob
    ? rows.map((row) => row.map((cell, at): Cell => (types[at] === 'blob' ? toBlob(cell) : cell)))
    : rows;
  try {
    await insertMany(db, table, columns, cells);
  } catch (error) {
    const cause = error instanceof StoreError ? error.cause : error;
    if (!isDuplicate(cause) && !isRefused(cause)) throw error;
    throw new BackupError('integrity', `${name} is damaged: ${table} does not take one of its rows`, {
      hint: 'Nothing was restored. Use another copy',
      cause: error,
    });
  }
}

function toBlob(cell: string | number | null): Cell {
  return typeof cell === 'string' ? Buffer.from(cell, 'hex') : cell;
}

async function finishSchema(db: AnyDatabase, header: BackupHeader, now: number): Promise<void> {
  for (const { name, release, up } of MIGRATIONS.slice(header.migrations.length)) {
    await up(db);
    await db.insertInto('migrations').values({ name, release, applied_at: now }).execute();
  }
}
