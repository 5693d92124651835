import type { Clock, Log } from '../../base/index.ts';
import { installationId, openStore, type Store, type Turn } from '../../store/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { Places } from '../running/data-directory.ts';
import { checkLeftBehind } from './left-behind.ts';
import type { Settings } from '../config/settings.ts';

/** ServiceStoreOptions say which database a service opens. */
export interface ServiceStoreOptions {
  readonly places: Places;
  readonly settings: Pick<Settings, 'database'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'observe'>;
  /** Whose turn goes first, where another process writes to the same file. */
  readonly turn?: Turn | undefined;
}

/** A write transaction that takes longer is logged, in milliseconds. */
const LONG = 100;

/** openServiceStore opens the database and brings it up to date, once it is the one of the directory. Throws StoreError, `conflict`. */
export async function openServiceStore(options: ServiceStoreOptions): Promise<Store> {
  const { places, settings, clock, log, metrics } = options;
  const { poolSize, startEmpty } = settings.database;
  const leftBehind = await checkLeftBehind({ places, startEmpty, log });
  const store = await openStore({
    url: places.databaseUrl,
    poolSize,
    turn: options.turn,
    now: () => clock.now(),
    onWrite: ({ waited, held, from }) => {
      metrics.observe('svc_database_write_wait_seconds', waited / 1000);
      metrics.observe('svc_database_write_hold_seconds', held / 1000);
      if (held > LONG) log.warn('A write transaction took long', { held_ms: Math.round(held), from: from() });
    },
  });
  try {
    await leftBehind.settle(await installationId(store));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
