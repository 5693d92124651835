import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startServer, type PostgresServer } from './store/postgres-server.ts';
import { makeTemplates, type Templates } from './store/templates.ts';

/**
 * What the test command does before the first file and after the last: it starts one PostgreSQL server for all of them, unless
 * `IPO_TEST_POSTGRES` names one. Where none can be started, each file looks for one of this machine, and skips with the reason. One
 * database of each engine is migrated, which the files copy. The programs are built, unless they are. What is compiled is kept for the next file, and the next run: hundreds of
 * processes load the same modules.
 */
let server: PostgresServer | null = null;
let templates: Templates | null = null;

/** globalSetup is called by `node --test --test-global-setup`. */
export async function globalSetup(): Promise<void> {
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/prepare.ts')], { stdio: 'inherit' });
  process.env['IPO_TEST_PROGRAMS'] = join(import.meta.dirname, '../dist');
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled');
  if (process.env['IPO_TEST_POSTGRES'] === undefined) {
    const started = await startServer();
    if (typeof started !== 'string') {
      server = started;
      process.env['IPO_TEST_POSTGRES'] = started.url;
    }
  }
  templates = await makeTemplates(server?.url ?? null);
  process.env['IPO_TEST_SQLITE_TEMPLATE'] = templates.sqlite;
  if (templates.postgres !== null) process.env['IPO_TEST_POSTGRES_TEMPLATE'] = templates.postgres;
}

/** globalTeardown is called when every file has ended. */
export async function globalTeardown(): Promise<void> {
  await templates?.remove();
  server?.stop();
}
