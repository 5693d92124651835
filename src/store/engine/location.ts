import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StoreError } from '../sql/store-error.ts';

/** SqliteLocation is a file, by its whole path. */
export interface SqliteLocation {
  readonly engine: 'sqlite';
  readonly file: string;
  readonly name: string;
}

/** PostgresLocation is a database on a server; `url` may hold a password. */
export interface PostgresLocation {
  readonly engine: 'postgres';
  readonly url: string;
  readonly name: string;
}

/** StoreLocation is where a database is; `name` is fit for messages: it holds no password. */
export type StoreLocation = SqliteLocation | PostgresLocation;

const HINT = 'For SQLite write sqlite:PATH, for PostgreSQL postgres://USER@HOST:5432/DATABASE';

/**
 * parseLocation reads `sqlite:PATH` (also `sqlite://PATH`; a relative path is taken from the working directory) or
 * `postgres://…`. Throws StoreError `usage`, which never repeats the text, since it may hold a password.
 */
export function parseLocation(text: string): StoreLocation {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/s.exec(text);
  if (sqlite?.[1] !== undefined) {
    const path = sqlite[1];
    if (path.includes('\0'))
      throw new StoreError('usage', 'the path of the database holds a NUL', { hint: HINT });
    const file = resolve(path);
    return { engine: 'sqlite', file, name: file };
  }
  if (/^postgres(ql)?:\/\//.test(text)) {
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      throw new StoreError('usage', 'the address of the database is not a URL', {
        hint: 'Write special characters of the password as %XX; the form is postgres://USER:PASSWORD@HOST:5432/DATABASE',
      });
    }
    const host = url.searchParams.get('host') ?? (url.host === '' ? 'localhost' : url.host);
    return { engine: 'postgres', url: text, name: `${host}${url.pathname === '/' ? '' : url.pathname}` };
  }
  throw new StoreError('usage', 'the address is neither SQLite nor PostgreSQL', { hint: HINT });
}

/** sqliteFileOf gives the file of an address, null for a database on a server. Throws StoreError `usage`. */
export function sqliteFileOf(url: string): string | null {
  const location = parseLocation(url);
  return location.engine === 'sqlite' ? location.file : null;
}

/** logBytesOf gives the size of the write-ahead log of an address; 0 where there is none. Throws StoreError `usage`. */
export function logBytesOf(url: string): number {
  const file = sqliteFileOf(url);
  return file === null ? 0 : (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}
