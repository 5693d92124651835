import type { Hash } from './merkle.ts';

/** CHECKS are what a verification looks at, in the order in which it reports it. */
const CHECKS = [
  'rows',
  'tree',
  'stored_tree',
  'signature',
  'stored_checkpoints',
  'signed_rows',
  'kept_checkpoint',
  'lost_rows',
  'proof',
] as const;

/** Check is one thing that was looked at. */
export interface Check {
  readonly check: (typeof CHECKS)[number];
  readonly state: 'held' | 'failed' | 'not_checked';
  /** What was found, as a sentence without a period. */
  readonly text: string;
}

/** BadRows says where the first row stands that is not as it was written: in the rows `from` to `to`; exactly there when they are one. */
export interface BadRows {
  readonly from: number;
  readonly to: number;
  /** How it shows, as a sentence without a period. */
  readonly text: string;
}

/** Verification is the answer to whether a ledger, or a part of it, is what was signed. */
export interface Verification {
  readonly subject: 'export' | 'database' | 'proof' | 'server';
  /** The file or address that was looked at. */
  readonly name: string;
  readonly holds: boolean;
  /** The tree that the rows were held against; null where there was none. */
  readonly tree: { readonly origin: string; readonly size: number; readonly root: Hash } | null;
  /** Verifier's key of the signature that held; null where none did. */
  readonly key: string | null;
  /** Rows that were hashed, how many of them a checkpoint covers whose signature holds, and their first and last number. */
  readonly rows: {
    readonly count: number;
    readonly signed: number;
    readonly first: number | null;
    readonly last: number | null;
  };
  readonly checks: readonly Check[];
  readonly firstBad: BadRows | null;
  /** Whether nothing failed but that a given checkpoint belongs to another log. */
  readonly isForeign: boolean;
  /** Whether the end of an export is missing. */
  readonly isCut?: boolean;
  /** What such a check cannot show, as sentences. */
  readonly limits: readonly string[];
}

/** Findings collects what a verification finds. */
export class Findings {
  /** Set where a given checkpoint belongs to another log. */
  foreign = false;
  readonly checks: Check[] = [];
  readonly limits: string[] = [];
  readonly #exact: BadRows[] = [];
  readonly #hashes: BadRows[] = [];
  readonly #between: BadRows[] = [];

  held(check: Check['check'], text: string): void {
    this.checks.push({ check, state: 'held', text });
  }

  failed(check: Check['check'], text: string): void {
    this.checks.push({ check, state: 'failed', text });
  }

  notChecked(check: Check['check'], text: string): void {
    this.checks.push({ check, state: 'not_checked', text });
  }

  /** A row whose number or hash shows by itself that it is bad. */
  suspect(rows: BadRows): void {
    this.#exact.push(rows);
  }

  /** Rows under one hash that is another than it was. */
  suspectUnder(rows: BadRows): void {
    this.#hashes.push(rows);
  }

  /** Rows of which one at least is bad, as two signed sizes show. */
  suspectBetween(rows: BadRows): void {
    this.#between.push(rows);
  }

  get holds(): boolean {
    return this.checks.every(({ state }) => state !== 'failed');
  }

  get isForeign(): boolean {
    const failed = this.checks.filter(({ state }) => state === 'failed');
    return this.foreign && failed.every(({ check }) => check === 'kept_checkpoint');
  }

  /** Where the first bad row stands, as narrowly as what was found shows it. */
  get firstBad(): BadRows | null {
    const [exact, under, between] = [this.#exact, this.#hashes, this.#between].map(
      (all) => all.toSorted((a, b) => a.from - b.from || a.to - b.to)[0] ?? null,
    ) as [BadRows | null, BadRows | null, BadRows | null];
    if (exact === null) return under ?? between;
    // A row that is missing changes the hash above it as well.
    return under !== null && under.to < exact.from ? under : exact;
  }

  /** The checks in the order in which they are told. */
  sorted(): readonly Check[] {
    return this.checks.toSorted((a, b) => CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check));
  }
}

/** NO_OUTSIDE is what a check cannot show that knows only the ledger itself. */
export const NO_OUTSIDE =
  'No checkpoint stored outside the service was compared. So it stays possible that the newest rows were cut off, ' +
  'or that the holder of the key rewrote and signed the whole history again.';

/** isUnsigned tells whether there are rows, and no signature that they could be held against: then nothing was verified. */
export function isUnsigned({ holds, rows }: Pick<Verification, 'holds' | 'rows'>): boolean {
  return holds && rows.count > 0 && rows.signed === 0;
}

/** rowsText names some rows. */
export function rowsText(from: number, to: number): string {
  return from === to ? `row ${from}` : `rows ${from} to ${to}`;
}
