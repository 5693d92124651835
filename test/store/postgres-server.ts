import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** PostgresServer is a server for tests. */
export interface PostgresServer {
  /** Of a database of the server itself. */
  readonly url: string;
  /** Ends a server that was started for the tests, and leaves any other alone. */
  stop(): void;
}

/**
 * findServer gives the server named in `IPO_TEST_POSTGRES` (the test command starts one for all files, see `test/setup.ts`), the one of
 * this machine, or one that is started for this file; else the reason why there is none.
 */
export async function findServer(): Promise<PostgresServer | string> {
  const named = process.env['IPO_TEST_POSTGRES'];
  const user = process.env['PGUSER'] ?? process.env['USER'] ?? process.env['LOGNAME'] ?? 'postgres';
  const candidates =
    named === undefined
      ? [`postgres://${user}@127.0.0.1:5432/postgres`, 'postgres://postgres@127.0.0.1:5432/postgres']
      : [named];
  // One that was started for these tests is there: it only waits for a processor, or for tests of another file in this process.
  const wait = named === undefined ? 2000 : 60_000;
  for (const url of candidates) if (await answers(url, wait)) return { url, stop: () => {} };
  if (named !== undefined) return 'the server named in IPO_TEST_POSTGRES does not answer';
  return startServer();
}

async function answers(url: string, wait: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: wait });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      'select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user',
    );
    return rows[0]?.may === true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * startServer starts a server on a port of its own, where nothing is kept: in memory where that is at hand, and without waiting for a
 * disk, since the tests kill processes that use it and never the machine. Gives the reason where it cannot.
 */
export async function startServer(): Promise<PostgresServer | string> {
  if (spawnSync('pg_ctl', ['--version']).status !== 0 || spawnSync('initdb', ['--version']).status !== 0) {
    return 'no PostgreSQL server answers on 127.0.0.1:5432, and initdb and pg_ctl are not at hand to start one';
  }
  const home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ipo-postgres-'));
  const data = join(home, 'data');
  // The server refuses to run as root.
  const asUser = process.getuid?.() === 0 ? NOBODY : null;
  if (asUser !== null) chownSync(home, asUser.uid, asUser.gid);
  const run = (command: string, args: string[]): string | null => {
    const { status, stderr } = spawnSync(command, args, {
      ...asUser,
      cwd: home,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return status === 0 ? null : `${command} failed: ${stderr}`;
  };
  const port = await freePort();
  const failed =
    run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']) ??
    run('pg_ctl', [
      '-D',
      data,
      '-w',
      '-l',
      join(home, 'log'),
      '-o',
      `-p ${port} -c listen_addresses=127.0.0.1 -c max_connections=200 -c fsync=off -k ${home}`,
      'start',
    ]);
  const stop = (): void => {
    run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']);
    rmSync(home, { recursive: true, force: true });
  };
  if (failed !== null) {
    stop();
    return failed;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
