import type { ColdImagePolicy } from '../../ledger/index.ts';
import type { ReplaySource } from '../../whatif/index.ts';

/** ReplayDatabase is a service's database as a replay sees it. Close it in the end. */
export interface ReplayDatabase {
  readonly source: ReplaySource;
  close(): Promise<void>;
}

/** openReplayDatabase opens a database only for reading; its schema must be that of this program. Throws StoreError. */
export async function openReplayDatabase(
  url: string,
  coldImagePolicy: ColdImagePolicy,
): Promise<ReplayDatabase> {
  const { openStore, replaySource } = await import('../../store/index.ts');
  const store = await openStore({ url, readOnly: true, poolSize: 1 });
  try {
    return { source: await replaySource(store, { coldImagePolicy }), close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}
