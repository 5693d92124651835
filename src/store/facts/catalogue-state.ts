import type { CatalogueState, CatalogueStore } from '../../catalogues/index.ts';
import type { Store } from '../sql/store.ts';

/** What is kept of one catalogue beside its entries. */
type Kept = 'kev' | 'end_of_life';

/** catalogueState reads how a catalogue stands that has so many entries. */
export async function catalogueState(
  read: Store['read'],
  name: Kept,
  table: 'kev_entries' | 'os_releases',
): Promise<CatalogueState> {
  const row = await read
    .selectFrom('catalogue_states')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst();
  const { entries } = await read
    .selectFrom(table)
    .select((of) => of.fn.countAll<number>().as('entries'))
    .executeTakeFirstOrThrow();
  return {
    entries,
    version: row?.version ?? null,
    releasedAt: row?.updated_at ?? null,
    fetchedAt: row?.fetched_at ?? null,
    checkedAt: row?.checked_at ?? null,
    lastError: row?.last_error ?? null,
    source: row?.source ?? null,
    validators: { etag: row?.etag ?? null, lastModified: row?.last_modified ?? null },
  };
}

/** catalogueNotes keeps what came of asking where there is nothing new. */
export function catalogueNotes(
  store: Store,
  name: Kept,
): Pick<CatalogueStore<never, never>, 'checked' | 'failed'> {
  const note = (set: { checked_at: number; last_error: null } | { last_error: string }): Promise<void> =>
    store.write(async (transaction) => {
      await transaction.updateTable('catalogue_states').set(set).where('name', '=', name).execute();
    });
  return {
    checked: (at) => note({ checked_at: at, last_error: null }),
    failed: (message) => note({ last_error: message.slice(0, 1000) }),
  };
}
