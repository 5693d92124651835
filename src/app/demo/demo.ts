import { openByteStream } from '../../adapters/files/index.ts';
import type { Clock } from '../../base/index.ts';
import { readExport } from '../../ledger/index.ts';
import { importExport, openStore, type Imported } from '../../store/index.ts';
import { placesOf } from '../running/data-directory.ts';
import { settingsSchema } from '../config/settings.ts';

/**
 * fillDemo makes the database that a service with this data directory will open, and fills it with an export, moved in time so
 * that it ends now. Throws FileError, LedgerError or StoreError.
 */
export async function fillDemo(
  directory: string,
  file: string,
  clock: Clock = { now: () => Date.now() },
): Promise<Imported> {
  const { databaseUrl } = placesOf(settingsSchema.parse({ data: directory }));
  const store = await openStore({ url: databaseUrl, now: () => clock.now() });
  try {
    const ledger = await readExport(await openByteStream(file), file, { whole: true });
    const at = clock.now();
    return await importExport(store, ledger, { at, shift: at - ledger.header.exportedAt });
  } finally {
    await store.close();
  }
}
