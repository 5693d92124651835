import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openStore } from '../../src/store/engine/open.ts';

/** Templates are databases with the newest schema that fresh ones are copied from: one of each engine, since 42 migrations take a while. */
export interface Templates {
  /** A file of SQLite. */
  readonly sqlite: string;
  /** The name of a database of the server; null where there is no server. */
  readonly postgres: string | null;
  /** Removes them. */
  remove(): Promise<void>;
}

/** scratchFolder makes a folder in memory where that is at hand: these tests are about what is written, not about the disk. */
export function scratchFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ipo-store-'));
}

/** sqliteTemplate gives the file that the test command made for all files (`test/setup.ts`), else one in a folder of the caller. */
export async function sqliteTemplate(folder: string): Promise<string> {
  return process.env['IPO_TEST_SQLITE_TEMPLATE'] ?? migrated(folder);
}

async function migrated(folder: string): Promise<string> {
  const file = join(folder, 'template.db');
  await (await openStore({ url: `sqlite:${file}` })).close();
  return file;
}

/** administer runs one statement on a database of the server. */
export function administer(url: string, statement: string): Promise<void> {
  return asAdministrator(url, async (client) => void (await client.query(statement)));
}

/** createDatabase makes one on the server: a copy of the files of its template, which takes half the time of a copy through the log. */
export function createDatabase(server: string, name: string, template = 'template0'): Promise<void> {
  return asAdministrator(server, async (client) => {
    // Older servers know nothing else.
    const { rows } = await client.query(
      "select current_setting('server_version_num')::int >= 150000 as chooses",
    );
    const how = rows[0]?.chooses === true ? ' strategy file_copy' : '';
    await client.query(`create database ${name} template ${template}${how}`);
  });
}

async function asAdministrator(url: string, act: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}

/** databaseOf is the address of a database of the server that another address names. */
export function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** makeTemplates makes them for all files of the test command. `server` is the address of the server, or null. */
export async function makeTemplates(server: string | null): Promise<Templates> {
  const folder = scratchFolder();
  const sqlite = await migrated(folder);
  const postgres = server === null ? null : `ipo_test_template_${process.pid}`;
  if (server !== null) {
    await createDatabase(server, postgres ?? '');
    await (await openStore({ url: databaseOf(server, postgres ?? '') })).close();
  }
  return {
    sqlite,
    postgres,
    async remove() {
      rmSync(folder, { recursive: true, force: true });
      if (server !== null) await administer(server, `drop database if exists ${postgres} with (force)`);
    },
  };
}
