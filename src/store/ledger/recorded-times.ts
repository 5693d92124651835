import { sql } from 'kysely';
import type { Recorded, RecordedTimes } from '../../ledger/index.ts';
import { SPAN_ROWS, spannedRows, spanOf } from './spans.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** Key of the setting that says up to which size of the ledger times count no more. */
const ACCEPTED = 'ledger.clock_accepted_size';

/** recordedTimes reads the newest time of rows and checkpoints, of those behind the size at which the clock was accepted last. */
export function recordedTimes(store: Store): RecordedTimes {
  const acceptedSize = async (): Promise<number> => {
    const [found] = await run(
      store.read,
      sql<Row<'settings', 'value'>>`select value from settings where key = ${ACCEPTED}`,
    );
    const size = Number(found?.value ?? 0);
    return Number.isSafeInteger(size) && size > 0 ? size : 0;
  };
  return {
    acceptedSize,
    async newest() {
      const size = await acceptedSize();
      // The span in which the size lies and the one that is not full are read by their rows, those between by what they say of theirs.
      const span = size === 0 ? -1 : spanOf(size);
      const spanned = await spannedRows(store);
      const [found] = await run(
        store.read,
        sql<{
          signed: number | null;
          spans: number | null;
          of_rows: number | null;
        }>`select (select max(at) from checkpoints where size > ${size}) as signed,
           (select max(max_at) from ledger_spans where span > ${span} and span < ${spanned / SPAN_ROWS}) as spans,
           (select max(at) from ledger_rows where id > ${size} and id <= ${(span + 1) * SPAN_ROWS}) as of_rows`,
      );
      const [open] = await run(
        store.read,
        sql<{
          at: number | null;
        }>`select max(at) as at from ledger_rows where id > ${Math.max(size, spanned)}`,
      );
      const rows = Math.max(found?.spans ?? -Infinity, found?.of_rows ?? -Infinity, open?.at ?? -Infinity);
      const signed = found?.signed ?? -Infinity;
      const at = Math.max(rows, signed);
      return at === -Infinity ? null : ({ at, by: signed >= rows ? 'checkpoint' : 'row' } satisfies Recorded);
    },
  };
}

/**
 * acceptClock makes the times that are recorded so far count no more against the clock, and gives the size of the ledger by then. Rows and
 * their marks stay as they are.
 */
export async function acceptClock(store: Store): Promise<number> {
  return store.write(async (transaction) => {
    const [head] = await run(
      transaction,
      sql<Row<'ledger_head', 'size'>>`select size from ledger_head where id = 1`,
    );
    const size = head?.size ?? 0;
    await run(
      transaction,
      sql`insert into settings (key, value) values (${ACCEPTED}, ${String(size)}) on conflict (key) do update set value = excluded.value`,
    );
    return size;
  });
}
