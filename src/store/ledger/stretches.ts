import type { RowRange } from '../../ledger/index.ts';
import { SPAN_ROWS } from './spans.ts';

/** Stretch is rows that follow each other; `whole` where all of them lie in the period that is asked for. */
export interface Stretch extends RowRange {
  readonly whole: boolean;
}

/**
 * toStretches divides a range of rows into stretches, newest first: an uneven span is one of its own, what lies between is one or is
 * divided after each `slice` rows, a multiple of a span. `uneven` are the numbers of spans, ascending.
 */
export function toStretches({ first, last }: RowRange, uneven: readonly number[], slice: number): Stretch[] {
  const stretches: Stretch[] = [];
  let end = last;
  const until = (start: number): void => {
    while (end >= start) {
      const cut = slice === Infinity ? start : Math.max(start, Math.floor((end - 1) / slice) * slice + 1);
      stretches.push({ first: cut, last: end, whole: true });
      end = cut - 1;
    }
  };
  for (const span of uneven.toReversed()) {
    const start = Math.max(first, span * SPAN_ROWS + 1);
    const stop = Math.min(last, (span + 1) * SPAN_ROWS);
    if (start > stop) continue;
    until(stop + 1);
    stretches.push({ first: start, last: stop, whole: false });
    end = start - 1;
  }
  until(first);
  return stretches;
}
