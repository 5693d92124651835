import type { AnchorStates } from '../ledger/index.ts';
import { runText } from './dialect.ts';
import type { Store } from './store.ts';

/** anchorStates keeps in a store what each anchor was told. */
export function anchorStates(store: Store): AnchorStates {
  return {
    async list() {
      const found = await runText<{ sink: string; size: number; at: number; last_error: string | null }>(
        store.read,
        'select sink, size, at, last_error from checkpoint_anchors order by sink',
        [],
      );
      return found.map(({ last_error: lastError, ...rest }) => ({ ...rest, lastError }));
    },
    put: ({ sink, size, at, lastError }) =>
      store.write(async (transaction) => {
        await runText(
          transaction,
          `insert into checkpoint_anchors (sink, size, at, last_error) values (?, ?, ?, ?)
            on conflict (sink) do update set
              size = case when excluded.size > checkpoint_anchors.size then excluded.size else checkpoint_anchors.size end,
              at = excluded.at, last_error = excluded.last_error`,
          [sink, size, at, lastError],
        );
      }),
  };
}
