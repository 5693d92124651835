import { DAY, isoOf } from '../ages.ts';
import { fail, ok, warn, type Check, type Verdict } from '../check.ts';
import { DATABASE_CHECKS } from './database.ts';
import type { DataFacts } from './facts.ts';

/** Room that a service needs for its log, its spool and a backup. */
const LITTLE_ROOM = 1024 * 1024 * 1024;
const NO_ROOM = 64 * 1024 * 1024;

const credentials = (count: number): string => `${count} stored credential${count === 1 ? '' : 's'}`;

const HINTS = {
  missing: 'Give the data directory of the service with --data; the first start of a service creates it',
  not_a_directory: 'Choose another directory with --data or the setting data',
  unwritable: 'Give the directory to the user of the service',
  read_only: 'Mount the volume so that it can be written to',
} as const;
const STATES = {
  missing: 'is missing',
  not_a_directory: 'is not a directory',
  unwritable: 'is not writable for this user',
  read_only: 'is on a file system that is read-only',
} as const;

/** DATA_CHECKS are what the directory of a service that does not run is examined by. With wrong settings only the first applies. */
export const DATA_CHECKS: readonly Check<DataFacts>[] = [
  {
    id: 'settings.valid',
    judge: ({ settings }: DataFacts) =>
      settings.length === 0
        ? ok('the settings are valid')
        : settings.map(({ message, hint }) =>
            fail(message, hint ?? 'Correct it; docs/settings.md describes every setting'),
          ),
  },
  {
    id: 'data.directory',
    judge: ({ directory }: DataFacts) => {
      if (directory === null) return null;
      const { path, state, foreign, open } = directory;
      if (state !== 'ok') return fail(`the directory ${path} ${STATES[state]}`, HINTS[state]);
      if (foreign !== null)
        return fail(
          `the directory ${path} belongs to the user ${foreign.owner}, this is ${foreign.user}`,
          'Run as the user of the service, or give it the directory',
        );
      return open
        ? warn(`everybody on this machine may read ${path}`, `chmod 700 ${path}`)
        : ok(`the directory ${path} can be worked in`);
    },
  },
  {
    id: 'data.space',
    judge: ({ directory, database }: DataFacts) => {
      const free = directory?.freeBytes ?? null;
      if (free === null || directory?.state === 'missing') return null;
      const room = `${Math.floor(free / 1024 / 1024)} MiB are free`;
      if (free < NO_ROOM) return fail(`the disk is full: ${room}`, 'Make room, or enlarge the volume');
      return free < Math.max(LITTLE_ROOM, (database?.bytes ?? 0) / 10)
        ? warn(`the disk is nearly full: ${room}`, 'Make room, or enlarge the volume')
        : ok(room);
    },
  },
  {
    id: 'data.lock',
    judge: ({ running }: DataFacts) =>
      running === null
        ? null
        : ok(running ? 'a service works on the directory' : 'no service works on the directory'),
  },
  ...DATABASE_CHECKS,
  {
    id: 'spool.empty',
    judge: ({ spooledBytes, running, directory }: DataFacts) => {
      if (spooledBytes === null)
        return directory?.state === 'ok'
          ? fail(
              'the spool cannot be listed, and may hold rows',
              'Give its directory to the user of the service',
            )
          : null;
      if (spooledBytes === 0) return ok('no row waits in the spool');
      const message = `${spooledBytes} bytes of rows wait in the spool`;
      return running === true
        ? ok(message)
        : warn(message, 'The next start stores them, or ipo ledger put-back; never delete them');
    },
  },
  {
    id: 'keys.data-key',
    judge: ({ dataKey, credentials: { sealed, unreadable } }: DataFacts) => {
      if (sealed === 0) return null;
      if (dataKey === 'unset')
        return fail(
          `DATA_KEY is not set; it is the key of ${credentials(sealed)}`,
          'Give the service the DATA_KEY that it had',
        );
      return unreadable === 0
        ? ok(`DATA_KEY opens ${credentials(sealed)}`)
        : fail(
            `DATA_KEY does not open ${unreadable} of ${credentials(sealed)}`,
            'Put the old DATA_KEY back, or enter each again: ipo channel edit NAME --credential-stdin',
          );
    },
  },
  {
    id: 'policies.valid',
    judge: ({ policies }: DataFacts) => {
      if (policies === null) return null;
      return policies.length === 0
        ? ok('every stored policy is valid')
        : policies.map(({ name, fault }) =>
            fail(
              `the policy ${name} is not valid: ${fault}`,
              'Fix it once the service runs: ipo policy apply FILE',
            ),
          );
    },
  },
  {
    id: 'listen.port',
    judge: ({ portFault, running }: DataFacts): Verdict | null => {
      if (running === true) return null;
      return portFault === null
        ? ok('the port of the service is free')
        : fail(
            `the port of the service cannot be listened on: ${portFault}`,
            'Stop what uses it, or set listen',
          );
    },
  },
  {
    id: 'listen.tls',
    judge: ({ tls }: DataFacts, at: number) => {
      if (tls === null) return null;
      const hint = 'Put a certificate and its key under tls.certFile and tls.keyFile';
      if (tls.fault !== null) return fail(`the certificate of the API cannot be used: ${tls.fault}`, hint);
      const { endsAt } = tls;
      if (endsAt === null) return null;
      if (endsAt <= at) return fail(`the certificate of the API ended at ${isoOf(endsAt)}`, hint);
      return endsAt - at < 14 * DAY
        ? warn(`the certificate of the API ends at ${isoOf(endsAt)}`, hint)
        : ok(`the certificate of the API is valid until ${isoOf(endsAt)}`);
    },
  },
  {
    id: 'outbound.proxy',
    judge: ({ proxyFault }: DataFacts) =>
      proxyFault === null
        ? null
        : fail(`the proxy of outbound calls does not answer: ${proxyFault}`, 'Correct outbound.proxy'),
  },
  {
    id: 'outbound.ca-file',
    judge: ({ caFault }: DataFacts) =>
      caFault === null ? null : fail(caFault, 'Correct outbound.caFile: PEM certificates and nothing else'),
  },
].map(({ id, judge }, place) => ({
  id,
  judge: (facts: DataFacts, at: number) => (place > 0 && facts.settings.length > 0 ? null : judge(facts, at)),
}));
