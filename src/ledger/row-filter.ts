import { parseTime } from '../base/index.ts';
import { DENIAL_LABELS, WORKLOAD_HARDENING } from '../decision/index.ts';
import type { LedgerRow } from './entry.ts';
import { digestOfRow } from './older-row.ts';
import type { LedgerFilter } from './ports.ts';

/** ROW_LABELS are the labels that a row can have: those of the gates, in their order, and that of a pod as a whole. */
export const ROW_LABELS: readonly string[] = [...DENIAL_LABELS, WORKLOAD_HARDENING];

/** LABEL_WANTED says what a filter by label has to be. */
export const LABEL_WANTED = `label must be one of ${ROW_LABELS.join(', ')}`;

/** toRowFilter gives the test that a filter is, for rows that no database holds; it chooses as a LedgerReader does. */
export function toRowFilter(filter: LedgerFilter): (row: LedgerRow) => boolean {
  const { from, to, refused, breakGlass, digest } = filter;
  const image = filter.image?.toLowerCase();
  const exact = (['namespace', 'cluster', 'label', 'policy'] as const).flatMap((field) =>
    filter[field] === undefined ? [] : [[field, filter[field]] as const],
  );
  return (row) => {
    for (const [field, value] of exact) if ((row[field] ?? null) !== value) return false;
    if (digest !== undefined && digestOfRow(row) !== digest) return false;
    if (image !== undefined && !row.image?.toLowerCase().includes(image)) return false;
    if (refused !== undefined && row.allowed === refused) return false;
    if (breakGlass !== undefined && (row.break_glass ?? false) !== breakGlass) return false;
    if (from === undefined && to === undefined) return true;
    const at = parseTime(row.time);
    return (from === undefined || at >= from) && (to === undefined || at <= to);
  };
}
