import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readBounded, writeWhole } from '../../adapters/files/index.ts';
import { isIpoError, IpoError, type Log } from '../../base/index.ts';
import { contentsOf, type DatabaseContents } from '../../store/index.ts';
import type { Places } from '../running/data-directory.ts';

/** Mark is what a directory says of the database that it belongs to, where that is not the one in it. */
interface Mark {
  readonly installation: string;
  /** Name of the database, without its password. */
  readonly database: string;
}

/** LeftBehind is what was found out before a database was opened; `settle` is called once it is. */
export interface LeftBehind {
  /** Writes down which database the directory belongs to from now on. `installation` is the id that the database has. */
  settle(installation: string): Promise<void>;
}

/** LeftBehindOptions say what is to be opened. */
export interface LeftBehindOptions {
  readonly places: Pick<Places, 'databaseUrl' | 'ownDatabaseUrl' | 'markFile'>;
  readonly startEmpty: boolean;
  readonly log: Log;
}

const MAX_MARK = 4096;

/**
 * checkLeftBehind keeps a service from starting on a database that is another than the one that its directory belongs to: accounts, ledger and
 * triage would be out of sight without a word. The directory belongs to the database that stands in it, and to the one that it was used with
 * last. Nothing is written, neither in the directory nor in the database. Throws IpoError `conflict`.
 */
export async function checkLeftBehind({ places, startEmpty, log }: LeftBehindOptions): Promise<LeftBehind> {
  const { databaseUrl, ownDatabaseUrl, markFile } = places;
  if (ownDatabaseUrl === null || markFile === null) return { settle: async () => undefined };
  const mark = await readMark(markFile);
  const isOwn = fileOf(databaseUrl) === fileOf(ownDatabaseUrl);
  const own = isOwn ? null : await contentsOf(ownDatabaseUrl);
  const isLeft = own !== null && (own.fault !== null || own.rows + own.accounts > 0);
  if (isLeft || mark !== null) {
    const wanted = await contentsOf(databaseUrl);
    const installation = wanted?.installation ?? null;
    const isKnown = (id: string | null): boolean => id !== null && id === installation;
    let other: string | null = null;
    if (mark !== null && !isKnown(mark.installation))
      other = `this directory was last used with ${mark.database}`;
    if (mark === null && isLeft && !isKnown(own.installation))
      other = `this directory holds another ledger: ${describe(own)}`;
    if (other !== null) {
      const sentence = `${wanted === null ? 'the database' : wanted.name} ${stateOf(wanted)}, and ${other}`;
      if (!startEmpty) throw new IpoError('conflict', sentence, { hint: hintOf(isOwn, isEmpty(wanted)) });
      log.warn('the service starts although its directory belongs to another database', { reason: sentence });
    }
  }
  return {
    settle: async (installation) => {
      if (isOwn) {
        if (mark !== null) await rm(markFile, { force: true });
        return;
      }
      if (mark?.installation === installation) return;
      // A first start that fails with a wrong address must not bind the directory to it: only what holds something would be missed.
      const now = await contentsOf(databaseUrl);
      if (!isLeft && (now === null || now.rows + now.accounts === 0)) return;
      const text: Mark = { installation, database: now?.name ?? '' };
      await writeWhole(markFile, `${JSON.stringify(text)}\n`);
    },
  };
}

/** The file of a `sqlite:PATH`, however it is written; null for a server. */
function fileOf(url: string): string | null {
  const [, path] = /^sqlite:(?:\/\/)?(.+)$/s.exec(url) ?? [];
  return path === undefined ? null : resolve(path);
}

function describe({ name, rows, accounts, fault }: DatabaseContents): string {
  return fault === null
    ? `${name} (${counted(rows, 'row')}, ${counted(accounts, 'account')})`
    : `${name} (${fault})`;
}

function isEmpty(contents: DatabaseContents | null): boolean {
  return contents === null || contents.rows + contents.accounts === 0;
}

function stateOf(contents: DatabaseContents | null): string {
  if (contents === null || isEmpty(contents)) return 'is empty';
  return `is that of another installation (${counted(contents.rows, 'row')}, ${counted(contents.accounts, 'account')})`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A move needs a database that holds nothing. */
function hintOf(isOwn: boolean, mayMove: boolean): string {
  const back = isOwn ? 'set database.url to the database that it was used with' : 'set database.url back';
  const move = mayMove ? ' To take it along, move it: ipo backup move.' : '';
  return (
    `To go on with what is there, ${back}.${move} To start without it, set database.startEmpty=true ` +
    '(IPO_DATABASE_START_EMPTY=true; in the chart --set database.startEmpty=true): nothing is emptied, moved or deleted'
  );
}

async function readMark(file: string): Promise<Mark | null> {
  let text: string;
  try {
    text = await readBounded(file, MAX_MARK);
  } catch (error) {
    if (isIpoError(error) && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
      return null;
    throw error;
  }
  try {
    const { installation, database } = JSON.parse(text) as Partial<Mark>;
    if (typeof installation === 'string' && typeof database === 'string') return { installation, database };
  } catch {
    // Said below.
  }
  throw new IpoError('unreadable', `${file} cannot be read as the mark of a database`, {
    hint: 'Delete it if the directory belongs to the database that the settings name',
  });
}
