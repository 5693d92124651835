import type { ImageFacts } from '../facts/index.ts';
import type { ColdImagePolicy, LedgerSource, RecordedPolicy, RowBatch, SourceLack } from '../ledger/index.ts';

/** Period is a closed span of time in milliseconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** ReplayOrigin is a source of rows that is not a ledger, with what it lacks. */
export interface ReplayOrigin {
  readonly source: LedgerSource;
  readonly lacks: readonly SourceLack[];
}

/**
 * ReplaySource is all that a replay can see: recorded rows and recorded facts. It has no way to write, to scan or
 * to ask a registry, so that the replay cannot.
 */
export interface ReplaySource {
  /** What the rows were made from, where that is not a ledger; absent or null for one. */
  readonly origin?: ReplayOrigin | null;
  readonly coldImagePolicy: ColdImagePolicy;
  /** Every revision that the rows name, and the policies in effect. */
  readonly policies: readonly RecordedPolicy[];
  /** The facts of a digest as they stand now, for rows that `rows` has given; undefined when there are none. */
  facts(digest: string): ImageFacts | undefined;
  /** Rows newest first. A source may leave out rows outside the period; it must leave out no others. */
  rows(period: Period): AsyncIterable<RowBatch>;
}
