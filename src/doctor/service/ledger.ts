import { ageOf, MINUTE } from '../ages.ts';
import { fail, ok, warn, type Check } from '../check.ts';
import type { ServiceFacts } from './facts.ts';

/** A checkpoint is due every minute; rows that are not signed for longer are reported. */
const UNSIGNED_MS = 10 * MINUTE;

/** LEDGER_CHECKS are those of the database and the ledger. */
export const LEDGER_CHECKS: readonly Check<ServiceFacts>[] = [
  {
    id: 'database.answers',
    judge: ({ database }) =>
      database.fault === null
        ? ok(`the database (${database.engine}) answers`)
        : fail(
            `the database does not answer: ${database.fault}`,
            'Check its server, its address (database.url) and the network between',
          ),
  },
  {
    id: 'database.writable',
    judge: ({ database }) => {
      if (database.fault !== null) return null;
      return database.readOnly === null
        ? ok('the database takes writes')
        : fail(
            `the database takes no writes: ${database.readOnly}`,
            database.engine === 'sqlite'
              ? 'Make room on its disk, and give its file and directory back to the user of the service'
              : 'Point database.url at the primary, and check default_transaction_read_only and the space of the server',
          );
    },
  },
  {
    id: 'ledger.intact',
    judge: ({ ledger }) =>
      ledger.broken === null
        ? ok('the ledger is the one that was signed and anchored')
        : fail(
            ledger.broken,
            'Keep the database as it is, and run ipo ledger verify with a checkpoint kept outside of the service',
          ),
  },
  {
    id: 'ledger.signed',
    judge: ({ ledger: { rows, signedRows, signedAt }, startedAt }, at) => {
      if (rows === null || signedRows === null) return null;
      if (rows === signedRows) return ok(`${rows} rows are signed`);
      const since = at - Math.max(signedAt ?? 0, startedAt);
      if (since < UNSIGNED_MS) return ok(`${rows - signedRows} of ${rows} rows wait for the next checkpoint`);
      return fail(
        `${rows - signedRows} rows were not signed for ${ageOf(since)}`,
        'Look at the job checkpoint in ipo doctor and in the log; the key of the ledger may be missing',
      );
    },
  },
  {
    id: 'ledger.anchor',
    judge: ({ ledger: { anchors } }) => {
      const failing = anchors.flatMap(({ name, error }) => (error === null ? [] : [{ name, error }]));
      if (failing.length > 0)
        return failing.map(({ name, error }) =>
          fail(
            `the anchor ${name} is not written: ${error}`,
            'Make the place of the anchor writable, or remove it from ledger.anchors',
          ),
        );
      return anchors.length === 0 ? null : ok(`${anchors.length} anchors hold the newest checkpoint`);
    },
  },
  {
    id: 'ledger.spool',
    judge: ({ ledger: { spooledRows, holding } }) =>
      spooledRows === 0 && !holding
        ? ok('no row waits in the spool')
        : fail(
            `${spooledRows} rows wait in the spool for the database`,
            'They are stored once the database takes writes; until then keep the volume of the spool',
          ),
  },
  {
    id: 'ledger.clock',
    judge: ({ ledger: { clockBehindMs } }) =>
      clockBehindMs === 0
        ? ok('the clock is not behind the ledger')
        : fail(
            `the clock is ${Math.round(clockBehindMs / 1000)} s behind a time that the ledger has recorded`,
            'Set the clock of the machine; if it is right, run ipo ledger accept-clock',
          ),
  },
  {
    id: 'jobs',
    judge: ({ jobs }) => {
      const failing = jobs.flatMap(({ name, fault }) => (fault === null ? [] : [{ name, fault }]));
      if (failing.length === 0) return ok(`${jobs.length} jobs ran without an error`);
      return failing.map(({ name, fault }) =>
        warn(
          `the job ${name} failed: ${fault}`,
          'It runs again by itself; its errors are in the log of the service',
        ),
      );
    },
  },
];
