import { isoOf } from '../ages.ts';
import { fail, ok, warn, type Check } from '../check.ts';
import type { DataFacts } from './facts.ts';

/** As the service tolerates it between machines. */
const AHEAD = 60_000;

/** DATABASE_CHECKS are those of the database and the key of the ledger of a service that does not run. */
export const DATABASE_CHECKS: readonly Check<DataFacts>[] = [
  {
    id: 'database.opens',
    judge: ({ database }) => {
      if (database === null) return null;
      const { name, state, detail, engine } = database;
      if (state === 'missing')
        return fail(
          `the database ${name} is missing`,
          'Restore a backup with ipo backup restore FILE; starting the service now would create an empty database',
        );
      if (state === 'unreadable')
        return fail(
          `the database ${name} cannot be read: ${detail ?? ''}`,
          engine === 'sqlite'
            ? 'Restore a backup: ipo backup restore FILE'
            : 'Check the server, the user and its password (database.url)',
        );
      return ok(`the database ${name} can be read`);
    },
  },
  {
    id: 'database.release',
    judge: ({ database }) => {
      if (database === null) return null;
      const { name, state, detail } = database;
      if (state === 'newer')
        return fail(
          `the database ${name} is of a newer release: ${detail ?? ''}`,
          'Start that release again, or restore the backup that was made before the upgrade',
        );
      if (state === 'older')
        return warn(
          `the database ${name} is of an earlier release: ${detail ?? ''}`,
          'Make a backup first; the next start brings it up to date',
        );
      return state === 'ok' ? ok('the database is of this release') : null;
    },
  },
  {
    id: 'database.writable',
    judge: ({ database }) => {
      if (database === null || database.state === 'missing' || database.state === 'unreadable') return null;
      return database.readOnly === null
        ? ok('the database can be written to')
        : fail(
            `the database is read-only: ${database.readOnly}`,
            'Give its files to the user of the service, or name the primary server in database.url',
          );
    },
  },
  {
    id: 'database.pages',
    judge: ({ database }) => {
      if (database === null || database.state === 'missing' || database.state === 'unreadable') return null;
      if (database.engine !== 'sqlite') return null;
      return database.damage === null
        ? ok('the pages of the database are sound')
        : fail(
            `the database is damaged: ${database.damage}`,
            'Keep a copy of the file, and restore the last backup',
          );
    },
  },
  {
    id: 'database.belongs',
    judge: ({ database }) => {
      if (database === null) return null;
      return database.other === null
        ? null
        : fail(
            `the directory belongs to another database: ${database.other}`,
            'Name the database that the directory had, or give this one a directory of its own',
          );
    },
  },
  {
    id: 'ledger.key',
    judge: ({ ledger }) => {
      if (ledger === null) return null;
      const { key, keyFile } = ledger;
      const hint =
        'Restore it from its copy; another key would start another log, which stored checkpoints would not match';
      switch (key) {
        case 'missing':
          return fail(`${keyFile}: the key that signed the ledger is not there`, hint);
        case 'unreadable':
          return fail(`${keyFile}: is not a private key of Ed25519 that this user can read`, hint);
        case 'other':
          return fail(`${keyFile}: is another key than the one that signed the ledger`, hint);
        case 'open':
          return warn(
            `${keyFile}: everybody on this machine may read the key of the ledger`,
            `chmod 600 ${keyFile}`,
          );
        case 'unused':
          return null;
        case 'ok':
          return ok('the key of the ledger is the one that signed it');
      }
    },
  },
  {
    id: 'ledger.clock',
    judge: ({ ledger }, at) => {
      if (ledger === null || ledger.recordedAt === null) return null;
      const ahead = ledger.recordedAt - at;
      return ahead > AHEAD
        ? fail(
            `the clock is ${Math.round(ahead / 1000)} s behind ${isoOf(ledger.recordedAt)}, which the ledger has recorded`,
            'Set the clock of the machine; if it is right, run ipo ledger accept-clock',
          )
        : ok('the clock is not behind the ledger');
    },
  },
];
