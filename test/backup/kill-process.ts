import { createBackup } from '../../src/app/backup/create.ts';
import { moveDatabase } from '../../src/app/backup/move.ts';
import { restoreBackup } from '../../src/app/backup/restore.ts';
import { PostgresConnection } from '../../src/store/engine/postgres.ts';
import { SqliteConnection } from '../../src/store/sql/sqlite-connection.ts';

/**
 * A process of the tests that makes, restores or moves a backup (`create FROM FILE`, `restore FILE TO`, `move FROM TO`). With `KILL=N` it
 * dies by SIGKILL before its N-th statement; it prints how many there were.
 */
const [act = '', from = '', to = ''] = process.argv.slice(2);
const killAt = Number(process.env['KILL'] ?? Infinity);
let statements = 0;

function step(): void {
  statements += 1;
  if (statements >= killAt) process.kill(process.pid, 'SIGKILL');
}

for (const name of ['query', 'run', 'runMany', 'cells'] as const) {
  const original = SqliteConnection.prototype[name] as (...args: unknown[]) => unknown;
  (SqliteConnection.prototype as unknown as Record<string, unknown>)[name] = function watched(
    this: SqliteConnection,
    ...args: unknown[]
  ) {
    step();
    return original.apply(this, args);
  };
}
const { executeQuery } = PostgresConnection.prototype;
PostgresConnection.prototype.executeQuery = function watched(this: PostgresConnection, ...args) {
  step();
  return executeQuery.apply(this, args);
} as typeof executeQuery;

const clock = { now: () => Date.now() };
const common = { clock, program: 'test' };
const nobody = (async function* none() {})();
const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  create: () => createBackup({ ...common, database: from, out: to, keys: null }),
  restore: () =>
    restoreBackup({
      ...common,
      file: from,
      stdin: nobody,
      database: to,
      registry: () => Promise.reject(new Error('there is none')),
      kept: [],
      lostRows: false,
      keys: null,
    }),
  move: () => moveDatabase({ ...common, from, to, lockFile: null, cluster: undefined }),
};
await acts[act]?.();
process.stdout.write(String(statements));
