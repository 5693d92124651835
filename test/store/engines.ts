import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, type TestContext } from 'node:test';
import pg from 'pg';
import { openStore, type StoreOptions } from '../../src/store/engine/open.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { findServer } from './postgres-server.ts';

/** TestEngine gives fresh databases of one engine; they are closed with their test and dropped at the end of the file. */
export interface TestEngine {
  readonly name: 'sqlite' | 'postgres';
  /** Address of a fresh database with the newest schema. */
  migrated(): Promise<string>;
  /** Address of a database that holds nothing (SQLite: no file yet). */
  empty(): Promise<string>;
  /** A store on a fresh migrated database, closed after the test. */
  open(t: TestContext, options?: Omit<StoreOptions, 'url'>): Promise<Store>;
}

let folder: string | null = null;
let count = 0;

function scratch(): string {
  // In memory where that is at hand: these tests are about what is written, not about the disk.
  folder ??= mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ipo-store-'));
  return folder;
}

async function openFor(t: TestContext, url: string, options: Omit<StoreOptions, 'url'> = {}): Promise<Store> {
  const store = await openStore({ ...options, url });
  t.after(() => store.close());
  return store;
}

let sqliteTemplate: Promise<string> | null = null;

async function makeSqliteTemplate(): Promise<string> {
  const file = join(scratch(), 'template.db');
  await (await openStore({ url: `sqlite:${file}` })).close();
  return file;
}

/** sqlite is the engine of tests that are about neither. */
export const sqlite: TestEngine = {
  name: 'sqlite',
  async empty() {
    return `sqlite:${join(scratch(), `${++count}.db`)}`;
  },
  async migrated() {
    sqliteTemplate ??= makeSqliteTemplate();
    const file = join(scratch(), `${++count}.db`);
    copyFileSync(await sqliteTemplate, file);
    return `sqlite:${file}`;
  },
  async open(t, options) {
    return openFor(t, await this.migrated(), options);
  },
};

const server = await findServer();
const databases: string[] = [];

/** Runs one statement, on the server itself unless a database is named. */
async function administer(statement: string, database?: string): Promise<void> {
  if (typeof server === 'string') throw new Error(server);
  const client = new pg.Client({ connectionString: database ?? server.url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function makeDatabase(template: string | null): Promise<string> {
  if (typeof server === 'string') throw new Error(server);
  const name = `ipo_test_${process.pid}_${++count}`;
  await administer(`create database ${name} template ${template ?? 'template0'}`);
  databases.push(name);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

let postgresTemplate: Promise<string> | null = null;

async function makePostgresTemplate(): Promise<string> {
  const url = await makeDatabase(null);
  await (await openStore({ url })).close();
  return new URL(url).pathname.slice(1);
}

let shared: Promise<string> | null = null;

/** A schema of its own in one database of this file: as empty as a database, and made without copying one. */
async function makeSchema(): Promise<string> {
  shared ??= makeDatabase(null);
  const url = new URL(await shared);
  const name = `test_${++count}`;
  await administer(`create schema ${name}`, url.href);
  url.searchParams.set('options', `-c search_path=${name}`);
  return url.href;
}

const postgres: TestEngine = {
  name: 'postgres',
  empty: makeSchema,
  async migrated() {
    postgresTemplate ??= makePostgresTemplate();
    return makeDatabase(await postgresTemplate);
  },
  async open(t, options) {
    return openFor(t, await this.migrated(), options);
  },
};

/**
 * forEachEngine runs a suite on SQLite and on a real PostgreSQL. Where no server is found or can be started, that half is skipped
 * with the reason. On PostgreSQL `concurrency` tests at a time wait for the disk together.
 */
export function forEachEngine(
  name: string,
  body: (engine: TestEngine) => void,
  { concurrency = 1 }: { readonly concurrency?: number } = {},
): void {
  suite(`${name} (sqlite)`, () => body(sqlite));
  const skip = typeof server === 'string' ? server : false;
  suite(`${name} (postgres)`, { skip, concurrency }, () => {
    if (skip === false) body(postgres);
  });
}

after(async () => {
  for (const name of databases.toReversed()) await administer(`drop database if exists ${name} with (force)`);
  if (typeof server !== 'string') server.stop();
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});
