import { parseWhole } from './numbers.ts';
import type { PagingFlags } from './paging-flags.ts';

/** parsePaging reads the flags; a page holds at most `most` items. Throws UsageError. */
export function parsePaging(
  { limit, offset }: PagingFlags,
  most = 10_000,
): {
  limit: number | undefined;
  offset: number | undefined;
} {
  return {
    limit: limit === undefined ? undefined : parseWhole('--limit', limit, 1, most, 'the limit'),
    offset:
      offset === undefined
        ? undefined
        : parseWhole('--offset', offset, 0, Number.MAX_SAFE_INTEGER, 'the number of items before the page'),
  };
}
