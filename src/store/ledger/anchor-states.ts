import { sql } from 'kysely';
import { ANCHOR_REFUSALS, type AnchorStates } from '../../ledger/index.ts';
import type { Store } from '../sql/store.ts';
import { run } from '../sql/run.ts';

interface AnchorColumns {
  readonly sink: string;
  readonly size: number;
  readonly at: number;
  readonly last_error: string | null;
  readonly refused: string | null;
  readonly note: string | null;
}

/** anchorStates keeps in a store what each anchor was told. What an anchor took never becomes less: two replicas may tell at once. */
export function anchorStates(store: Store): AnchorStates {
  return {
    async list() {
      const found = await run(
        store.read,
        sql<AnchorColumns>`select sink, size, at, last_error, refused, note from checkpoint_anchors order by sink`,
      );
      return found.map(({ last_error: lastError, refused, ...rest }) => ({
        ...rest,
        lastError,
        refused: ANCHOR_REFUSALS.find((reason) => reason === refused) ?? null,
      }));
    },
    put: ({ sink, size, at, lastError, refused, note }) =>
      store.write(async (transaction) => {
        await run(
          transaction,
          sql`insert into checkpoint_anchors (sink, size, at, last_error, refused, note) values (${sink}, ${size}, ${at}, ${lastError}, ${refused}, ${note})
            on conflict (sink) do update set
              note = case when excluded.size >= checkpoint_anchors.size then excluded.note else checkpoint_anchors.note end,
              size = case when excluded.size > checkpoint_anchors.size then excluded.size else checkpoint_anchors.size end,
              at = excluded.at, last_error = excluded.last_error, refused = excluded.refused`,
        );
      }),
  };
}
