import { stat } from 'node:fs/promises';
import { readBounded } from '../../adapters/files/index.ts';
import { isIpoError } from '../../base/index.ts';
import { DataKey, openStored } from '../../channels/index.ts';
import type { DataFacts } from '../../doctor/index.ts';
import { toSigner } from '../../ledger/index.ts';
import { parsePolicyValue, PolicyError } from '../../policy/index.ts';
import {
  channelStore,
  inspectDatabase,
  ledgerTree,
  openStore,
  planMigrations,
  policyStore,
  recordedTimes,
  type MigrationPlan,
  type Store,
} from '../../store/index.ts';
import type { Settings } from '../config/settings.ts';
import type { Places } from '../running/data-directory.ts';
import { checkLeftBehind } from '../service/left-behind.ts';

type Stored = Pick<DataFacts, 'database' | 'ledger' | 'dataKey' | 'credentials' | 'policies'>;

/** NO_DATABASE is what is known where there is none. */
export const NO_DATABASE: Stored = {
  database: null,
  ledger: null,
  dataKey: 'unset',
  policies: null,
  credentials: { sealed: 0, unreadable: 0 },
};

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** storedFacts looks at the database of a service, and at the key that signs its ledger. Nothing is written. */
export async function storedFacts(settings: Settings, places: Places): Promise<Stored> {
  const database = await databaseOf(settings, places);
  const known: Stored = {
    ...NO_DATABASE,
    database,
    dataKey: settings.dataKey === undefined ? 'unset' : 'ok',
  };
  if (database?.state !== 'ok') return known;
  const store = await openStore({ url: places.databaseUrl, readOnly: true, poolSize: 1 });
  try {
    return {
      ...known,
      ledger: await ledgerOf(store, places.keyFile),
      credentials: await credentialsOf(store, settings),
      policies: await faultyPolicies(store),
    };
  } finally {
    await store.close();
  }
}

async function databaseOf(settings: Settings, places: Places): Promise<DataFacts['database']> {
  const unknown = { readOnly: null, damage: null, bytes: null };
  const other = await otherOf(settings, places);
  let plan: MigrationPlan;
  try {
    plan = await planMigrations(places.databaseUrl);
  } catch (error) {
    if (!isIpoError(error)) throw error;
    const { name, engine } = nameOf(places.databaseUrl);
    const state = error.code === 'migration' ? 'newer' : 'unreadable';
    return { ...unknown, name, engine, state, detail: error.message, other };
  }
  const { database: name, engine, exists, migrations } = plan;
  if (!exists) return { ...unknown, name, engine, state: 'missing', detail: null, other };
  const due = migrations.filter(({ appliedAt }) => appliedAt === null);
  const last = migrations.findLast(({ appliedAt }) => appliedAt !== null);
  const { readOnly, damage, bytes } = await inspectDatabase(places.databaseUrl);
  return {
    name,
    engine,
    readOnly,
    damage,
    bytes,
    other,
    state: due.length === 0 ? 'ok' : 'older',
    detail: due.length === 0 ? null : `${due.length} migrations are due after ${last?.name ?? 'none'}`,
  };
}

async function otherOf({ database }: Settings, places: Places): Promise<string | null> {
  try {
    await checkLeftBehind({ places, startEmpty: database.startEmpty, log: SILENT });
    return null;
  } catch (error) {
    return isIpoError(error) && error.code === 'conflict' ? error.message : null;
  }
}

/** Without the password. */
function nameOf(url: string): { readonly name: string; readonly engine: 'sqlite' | 'postgres' } {
  const [, file] = /^sqlite:(?:\/\/)?(.+)$/s.exec(url) ?? [];
  if (file !== undefined) return { name: file, engine: 'sqlite' };
  const { hostname, port, pathname } = new URL(url);
  return { name: `${hostname}${port === '' ? '' : `:${port}`}${pathname}`, engine: 'postgres' };
}

async function ledgerOf(store: Store, keyFile: string): Promise<NonNullable<DataFacts['ledger']>> {
  const tree = ledgerTree(store);
  const [signed, recorded] = await Promise.all([tree.key(), recordedTimes(store).newest()]);
  return { keyFile, recordedAt: recorded?.at ?? null, key: await keyStateOf(signed, keyFile) };
}

async function keyStateOf(
  signed: string | null,
  file: string,
): Promise<NonNullable<DataFacts['ledger']>['key']> {
  try {
    const pem = await readBounded(file, 16_384);
    const [name = ''] = (signed ?? 'ipo').split('+');
    if (signed !== null && toSigner(name, pem).vkey !== signed) return 'other';
    const { mode } = await stat(file);
    return process.platform !== 'win32' && (mode & 0o007) !== 0 ? 'open' : 'ok';
  } catch (error) {
    if (!isIpoError(error)) throw error;
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') return 'unreadable';
    return signed === null ? 'unused' : 'missing';
  }
}

async function credentialsOf(store: Store, { dataKey }: Settings): Promise<DataFacts['credentials']> {
  const stored = await channelStore(store).credentials(null);
  const key = dataKey === undefined ? null : DataKey.parse(dataKey.reveal());
  return { sealed: stored.length, unreadable: stored.filter((one) => openStored(key, one) === null).length };
}

async function faultyPolicies(store: Store): Promise<NonNullable<DataFacts['policies']>> {
  const { items } = await policyStore(store).list({ limit: null, offset: 0 });
  return items.flatMap(({ name, document }) => {
    try {
      parsePolicyValue(document);
      return [];
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      return [{ name, fault: error.message }];
    }
  });
}
