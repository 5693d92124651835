import type { Clock, Log } from '../base/index.ts';
import { installationId, openStore, type Store } from '../store/index.ts';
import type { Places } from './data-directory.ts';
import { checkLeftBehind } from './left-behind.ts';
import type { Settings } from './settings.ts';

/** ServiceStoreOptions say which database a service opens. */
export interface ServiceStoreOptions {
  readonly places: Places;
  readonly settings: Pick<Settings, 'database'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** openServiceStore opens the database and brings it up to date, once it is the one of the directory. Throws StoreError, `conflict`. */
export async function openServiceStore(options: ServiceStoreOptions): Promise<Store> {
  const { places, settings, clock, log } = options;
  const { poolSize, startEmpty } = settings.database;
  const leftBehind = await checkLeftBehind({ places, startEmpty, log });
  const store = await openStore({ url: places.databaseUrl, poolSize, now: () => clock.now() });
  try {
    await leftBehind.settle(await installationId(store));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
