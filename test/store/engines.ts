import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, type TestContext } from 'node:test';
import { openStore, type StoreOptions } from '../../src/store/engine/open.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { findServer } from './postgres-server.ts';
import { administer, createDatabase, databaseOf, scratchFolder, sqliteTemplate } from './templates.ts';

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
  return (folder ??= scratchFolder());
}

async function openFor(t: TestContext, url: string, options: Omit<StoreOptions, 'url'> = {}): Promise<Store> {
  // A copy of what this program has just made: its tables need no comparison.
  const store = await openStore({ checked: true, ...options, url });
  t.after(() => store.close());
  return store;
}

let template: Promise<string> | null = null;

/** sqlite is the engine of tests that are about neither. */
export const sqlite: TestEngine = {
  name: 'sqlite',
  async empty() {
    return `sqlite:${join(scratch(), `${++count}.db`)}`;
  },
  async migrated() {
    template ??= sqliteTemplate(scratch());
    const file = join(scratch(), `${++count}.db`);
    copyFileSync(await template, file);
    return `sqlite:${file}`;
  },
  async open(t, options) {
    return openFor(t, await this.migrated(), options);
  },
};

const server = await findServer();
const databases: string[] = [];

async function makeDatabase(template: string | null): Promise<string> {
  if (typeof server === 'string') throw new Error(server);
  const name = `ipo_test_${process.pid}_${++count}`;
  await createDatabase(server.url, name, template ?? undefined);
  databases.push(name);
  return databaseOf(server.url, name);
}

let postgresTemplate: Promise<string> | null = null;

async function findPostgresTemplate(): Promise<string> {
  const named = process.env['IPO_TEST_POSTGRES_TEMPLATE'];
  if (named !== undefined) return named;
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
  await administer(url.href, `create schema ${name}`);
  url.searchParams.set('options', `-c search_path=${name}`);
  return url.href;
}

const postgres: TestEngine = {
  name: 'postgres',
  empty: makeSchema,
  async migrated() {
    postgresTemplate ??= findPostgresTemplate();
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
  if (typeof server !== 'string') {
    for (const name of databases.toReversed())
      await administer(server.url, `drop database if exists ${name} with (force)`);
    server.stop();
  }
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});
