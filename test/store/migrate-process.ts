import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { runMigrations } from '../../src/store/engine/plan.ts';
import { PostgresConnection } from '../../src/store/engine/postgres.ts';
import { SqliteConnection } from '../../src/store/sql/sqlite-connection.ts';

/**
 * A process of the tests that migrates the database of its first argument and prints the names of what it applied as JSON. With
 * `CRASH=NAME:COUNT` it dies by SIGKILL inside that migration, before the statement after so many, at the latest before the line of
 * history.
 */
const [url = ''] = process.argv.slice(2);
const [crashIn = '', crashAfter = ''] = (process.env['CRASH'] ?? '').split(':');

let current: string | null = null;
let statements = 0;

function dieInTime(sql: string): void {
  if (current !== crashIn) return;
  if (statements >= Number(crashAfter) || sql.startsWith('insert into "migrations"'))
    process.kill(process.pid, 'SIGKILL');
  statements += 1;
}

const { query } = SqliteConnection.prototype;
SqliteConnection.prototype.query = function watched(...args) {
  dieInTime(args[0]);
  return query.apply(this, args);
};
const { executeQuery } = PostgresConnection.prototype;
PostgresConnection.prototype.executeQuery = function watched(this: PostgresConnection, ...args) {
  dieInTime(args[0].sql);
  return executeQuery.apply(this, args);
} as typeof executeQuery;

const applied: string[] = [];
const watch = {
  begun: ({ name }: { readonly name: string }) => void (current = name),
  applied: ({ name }: { readonly name: string }) => {
    current = null;
    applied.push(name);
  },
};
void runMigrations(url, watch, {
  now: () => Number(process.env['CLOCK']),
  migrations: MIGRATIONS.slice(0, Number(process.env['UP_TO'] ?? MIGRATIONS.length)),
}).then(() => process.stdout.write(JSON.stringify(applied)));
