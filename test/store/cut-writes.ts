import { runText } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/sql/store.ts';

/** dying gives a store whose process dies after some transactions. */
export function dying(store: Store, after: number): Store {
  let left = after;
  return {
    ...store,
    write: (act) => {
      if ((left -= 1) < 0) throw new Error('it died');
      return store.write(act);
    },
  };
}

/** counting gives a store that tells how many rows each transaction wrote; SQLite alone. */
export function counting(store: Store, written: number[]): Store {
  const changes = async (transaction: Parameters<typeof runText>[0]): Promise<number> => {
    const [row] = await runText<{ count: number }>(transaction, 'select total_changes() as count', []);
    return row?.count ?? 0;
  };
  return {
    ...store,
    write: (act) =>
      store.write(async (transaction) => {
        const before = await changes(transaction);
        const given = await act(transaction);
        written.push((await changes(transaction)) - before);
        return given;
      }),
  };
}
