import { sqliteOf } from '../sql/dialect.ts';
import type { Store } from '../sql/store.ts';

/** atOneMoment runs an act whose reads all see the database as it is now. Nothing may be written inside. */
export async function atOneMoment<T>(store: Store, act: (store: Store) => Promise<T>): Promise<T> {
  const sqlite = sqliteOf(store.read);
  if (sqlite === null)
    return store.read
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((read) => act(withRead(store, read)));
  sqlite.run('begin');
  try {
    return await act(store);
  } finally {
    sqlite.run('rollback');
  }
}

function withRead(store: Store, read: Store['read']): Store {
  return Object.create(store, { read: { value: read, enumerable: true } }) as Store;
}
