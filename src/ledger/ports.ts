import type { LedgerRow } from './entry.ts';
import type { ColdImagePolicy } from './export-format.ts';
import type { ExportParts } from './export-write.ts';
import type { Appended, LedgerEntry, RecordedRow } from './new-row.ts';
import type { TileReader } from './tiles.ts';
import type { SignedCheckpoint } from './tree-ports.ts';

/** Stored answers one entry of an append that has been committed. */
export interface Stored {
  readonly rows: readonly RecordedRow[];
  /** The review was there already, and was left as it is. */
  readonly repeat: boolean;
}

/** LedgerWriter appends to the ledger. */
export interface LedgerWriter {
  /**
   * appendAll appends entries in their order, each whole, in one durable transaction, and answers each in its place. A review whose uid is
   * there already (earlier in the same call, too) is left as it is and answered with what is stored. Ids have no gap, and their order is
   * that of the commits, no matter who appends. Throws AppendError `invalid_request` when an entry can never be stored; then nothing is.
   * Any other error may have come before or after the commit: append again with the same uids.
   */
  appendAll(entries: readonly LedgerEntry[]): Promise<readonly Stored[]>;
  /**
   * appendNow does the same before it comes back, where nothing need be waited for: neither another write nor anything that is not in
   * memory. Null where it cannot; nothing was appended then. Throws as appendAll does. Absent where there is no such way.
   */
  appendNow?(entries: readonly LedgerEntry[]): readonly Stored[] | null;
  /**
   * areNew tells whether memory shows, without a look at the database, that none of the reviews is in the ledger. Absent where others may
   * append the same review at any time.
   */
  areNew?(entries: readonly LedgerEntry[]): boolean;
  /** Why the first append would take long, as a sentence; absent or null once it would not. */
  unready?(): string | null;
}

/** Spool keeps entries durably, in order, while the database does not take them. It is bounded. */
export interface Spool {
  /** Where it is, for people: a directory. */
  readonly place: string;
  /** Rows that wait. */
  readonly rows: number;
  /**
   * append keeps entries behind those that wait, from the first on as many as there is room for, and gives how many that
   * were; they are durable when it comes back. Throws, and has kept none of them, when the disk refuses them.
   */
  append(entries: readonly LedgerEntry[]): Promise<number>;
  /** peek gives the oldest entries that wait, of at most `rows` rows together but at least one; none when none waits. */
  peek(rows: number): readonly LedgerEntry[];
  /** entries gives all that wait, oldest first. */
  entries(): Iterable<LedgerEntry>;
  /**
   * drop lets the oldest `count` entries go. After a crash some of them may come back, so that they are appended again. `moreSoon`: what is
   * made for them may stay, since more are likely to come at once.
   */
  drop(count: number, moreSoon?: boolean): Promise<void>;
  /** setAside lets the oldest entry go into a file of its own, with the reason, for a person to look at. */
  setAside(reason: string): Promise<void>;
  close(): Promise<void>;
}

/** Timers let an act be done later; tests give their own. */
export interface Timers {
  /** Runs `act` once after some milliseconds, unless the function that is given back was called before. */
  after(ms: number, act: () => void): () => void;
}

/** LedgerAppend is what a part that makes rows is given. */
export interface LedgerAppend {
  /** Answers when the rows are durable. Throws AppendError. */
  append(entry: LedgerEntry): Promise<Appended>;
  /** Why no review should come here yet, as a sentence; absent or null once its rows are written without delay. */
  unready?(): string | null;
}

/** LedgerFilter chooses rows; what is absent chooses all. Texts are compared exactly unless said. */
export interface LedgerFilter {
  readonly namespace?: string | undefined;
  readonly cluster?: string | undefined;
  /** A part of the image as written, whatever the case. */
  readonly image?: string | undefined;
  readonly digest?: string | undefined;
  readonly label?: string | undefined;
  readonly policy?: string | undefined;
  /** Images that were refused (true) or admitted (false). */
  readonly refused?: boolean | undefined;
  readonly breakGlass?: boolean | undefined;
  /** Milliseconds; both ends belong to the period. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** RowRange is rows by their numbers, both ends included; empty when `first` is above `last`. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** LedgerReader reads rows that are committed. Rows never change, so what was read stays true. */
export interface LedgerReader {
  /** How many rows there are; the newest has this number. */
  size(): Promise<number>;
  /** The row of a number, or null. */
  row(id: number): Promise<LedgerRow | null>;
  /** Rows newest first, and how many there are in all. */
  list(
    filter: LedgerFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly LedgerRow[]; readonly total: number }>;
  /**
   * The narrowest range that holds every row of a closed period (null: open). Rows are ordered by number; where a clock was set
   * back, some rows inside lie outside the period.
   */
  rangeOf(from: number | null, to: number | null): Promise<RowRange>;
  /** The rows of a range in batches, newest first; memory is that of a batch. */
  newestFirst(range: RowRange): AsyncGenerator<readonly LedgerRow[], void, undefined>;
  /** The same, oldest first. */
  oldestFirst(range: RowRange): AsyncGenerator<readonly LedgerRow[], void, undefined>;
}

/** ExportRequest says which part of the ledger is exported, and what the rows do not tell. */
export interface ExportRequest {
  /** When it is made: milliseconds since 1970 UTC. */
  readonly at: number;
  readonly cluster: string | null;
  readonly coldImagePolicy: ColdImagePolicy;
  /** The closed period in milliseconds whose rows are wanted; null is open. */
  readonly from: number | null;
  readonly to: number | null;
  /** The newest checkpoint, with which the export ends and by which it can be verified; null without a tree. */
  readonly tree: {
    readonly checkpoint: SignedCheckpoint;
    /** Verifier's key of the log. */
    readonly key: string;
    readonly tiles: TileReader;
  } | null;
}

/** LedgerExporter makes exports; `exportLines` writes what it gives. Equal ledgers give equal bytes. */
export type LedgerExporter = (request: ExportRequest) => Promise<ExportParts>;
