import { existsSync, statSync } from 'node:fs';
import { BackupError } from '../../backup/index.ts';
import { connect } from '../engine/connect.ts';
import { parseLocation, type StoreLocation } from '../engine/location.ts';
import { tableNames } from '../sql/dialect.ts';
import type { AnyDatabase } from '../sql/schema.ts';

/** refuseUnlessEmpty holds that a database is there and holds nothing; a file need not be there. Throws BackupError `conflict`, StoreError. */
export async function refuseUnlessEmpty(url: string): Promise<void> {
  const location = parseLocation(url);
  if (location.engine === 'sqlite') {
    if (isTaken(location.file)) throw notEmpty(location);
    return;
  }
  const db = await connect<never>(location, { readOnly: true, mustExist: true, poolSize: 1 });
  try {
    if (!(await isEmptyDatabase(db))) throw notEmpty(location);
  } finally {
    await db.destroy();
  }
}

/** isEmptyDatabase tells whether no table stands in a database. */
export async function isEmptyDatabase(db: Pick<AnyDatabase, 'getExecutor'>): Promise<boolean> {
  return (await tableNames(db)).length === 0;
}

/** isTaken tells whether a file, or the log of one, holds anything. */
export function isTaken(file: string): boolean {
  return ['', '-wal', '-journal'].some((end) => existsSync(file + end) && statSync(file + end).size > 0);
}

/** notEmpty is why nothing is restored into a database. */
export function notEmpty({ name }: Pick<StoreLocation, 'name'>): BackupError {
  return new BackupError(
    'conflict',
    `${name} is not empty: a backup is restored only into an empty database`,
    {
      hint: 'Name a file that does not exist, or a new database (createdb). Nothing was changed',
    },
  );
}
