import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { isIpoError, type IpoError } from '../../base/index.ts';
import type { DataFacts } from '../../doctor/index.ts';
import { loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/error.ts';
import { parseListen, type Settings } from '../config/settings.ts';
import { placesOf } from '../running/data-directory.ts';
import { openServiceOutbound } from '../running/outbound.ts';
import { readTls } from '../running/tls-files.ts';
import { proxyFault } from './proxy-fault.ts';
import { NO_DATABASE, storedFacts } from './stored-facts.ts';

/** DataFlags name a service by its settings or its directory. */
export interface DataFlags {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
}

/** DataLooks are looks at the machine that a test gives another answer to. */
export interface DataLooks {
  freeBytes(path: string): Promise<number | null>;
  /** Id of the user of this process; null where there are no users. */
  user(): number | null;
}

const LOOKS: DataLooks = {
  freeBytes: async (path) => {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
  user: () => process.getuid?.() ?? null,
};

const NOTHING: DataFacts = {
  settings: [],
  directory: null,
  running: null,
  spooledBytes: null,
  tls: null,
  portFault: null,
  proxyFault: null,
  caFault: null,
  ...NO_DATABASE,
};

/** dataFacts looks at the settings and the directory of a service. Nothing is written, made or migrated. */
export async function dataFacts(
  { config, data }: DataFlags,
  env: Readonly<Record<string, string | undefined>>,
  looks: DataLooks = LOOKS,
): Promise<DataFacts> {
  let settings: Settings;
  try {
    ({ settings } = await loadConfig({
      file: config ?? null,
      env,
      ...(data !== undefined && { flags: [{ path: 'data', flag: '--data', value: data }] }),
    }));
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return { ...NOTHING, settings: faultsOf(error) };
  }
  const places = placesOf(settings);
  const directory = settings.data === undefined ? null : await directoryOf(resolve(settings.data), looks);
  const isThere = directory?.state !== 'missing' && directory?.state !== 'not_a_directory';
  const isLocked = places.lockFile !== null && directory?.state === 'ok' && (await isHeld(places.lockFile));
  const running = isThere ? isLocked : null;
  return {
    ...NOTHING,
    ...(isThere && {
      ...(await storedFacts(settings, places)),
      spooledBytes: await sizeOf(places.spoolDirectory),
    }),
    directory,
    running,
    tls: await tlsOf(settings),
    portFault: running === true ? null : await portFault(settings),
    proxyFault: await proxyFault(settings.outbound.proxy),
    caFault: await caFault(settings, env),
  };
}

function faultsOf(error: IpoError): DataFacts['settings'] {
  if (!(error instanceof ConfigError)) return [{ message: error.message, hint: error.hint ?? null }];
  return error.problems.map(({ file, line, message, hint }) => ({
    message: message.startsWith(file)
      ? message
      : `${file}${line === undefined ? '' : `:${line}`}: ${message}`,
    hint,
  }));
}

const STATES: ReadonlyMap<string, NonNullable<DataFacts['directory']>['state']> = new Map([
  ['ENOENT', 'missing'],
  ['ENOTDIR', 'not_a_directory'],
  ['EROFS', 'read_only'],
] as const);

async function directoryOf(path: string, looks: DataLooks): Promise<NonNullable<DataFacts['directory']>> {
  const nothing = { path, foreign: null, open: false, freeBytes: null };
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return { ...nothing, state: 'not_a_directory' };
    const user = looks.user();
    const foreign = user === null || found.uid === user ? null : { owner: found.uid, user };
    const open = user !== null && (found.mode & 0o004) !== 0;
    const freeBytes = await looks.freeBytes(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return { path, state: 'ok', foreign, open, freeBytes };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { ...nothing, state: STATES.get(code) ?? 'unwritable' };
  }
}

/** Whether a process holds the lock; a file that is not there holds nothing, and is not made. */
async function isHeld(file: string): Promise<boolean> {
  if (
    await stat(file).then(
      () => false,
      () => true,
    )
  )
    return false;
  const { lockFile } = await import('../../store/index.ts');
  try {
    lockFile(file)();
    return false;
  } catch (error) {
    return isIpoError(error) && error.code === 'unavailable';
  }
}

/** Bytes of what is spooled: the segments, not the files beside them. Null where they cannot be listed; no spool is an empty one. */
async function sizeOf(directory: string): Promise<number | null> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException): string[] | null =>
    error.code === 'ENOENT' ? [] : null,
  );
  if (names === null) return null;
  const sizes = names
    .filter((name) => /^spool-\d+\.log$/.test(name))
    .map(async (name) => (await stat(join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function tlsOf({ tls }: Settings): Promise<DataFacts['tls']> {
  if (tls === undefined) return null;
  try {
    return { fault: null, endsAt: (await readTls(tls)).endsAt };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error), endsAt: null };
  }
}

async function caFault(settings: Settings, env: DataFactsEnv): Promise<string | null> {
  try {
    (await openServiceOutbound(settings.outbound, env)).close();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type DataFactsEnv = Readonly<Record<string, string | undefined>>;

/** Listens for a moment where the service would. */
async function portFault({ listen }: Settings): Promise<string | null> {
  const { host, port } = parseListen(listen) ?? { host: '127.0.0.1', port: 8080 };
  if (port === 0) return null;
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      done(`${host}:${port}: ${error.code ?? error.message}`),
    );
    server.listen(port, host, () => server.close(() => done(null)));
  });
}
