import type { Appended, LedgerEntry } from './new-row.ts';

/** Waiting is an entry that waits for its group, with who is answered. */
export interface Waiting {
  readonly entry: LedgerEntry;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/** isKeyed tells whether an entry is of a review, which its uid makes known again. */
export function isKeyed({ entry }: Waiting): boolean {
  return entry.uid !== null;
}

/** AppendQueue holds entries in their order until a group of them is written. */
export class AppendQueue {
  readonly #groupRows: number;
  #waiting: Waiting[] = [];
  #rows = 0;

  /** `groupRows`: rows of one group at most; an entry with more is a group by itself. */
  constructor(groupRows: number) {
    this.#groupRows = groupRows;
  }

  /** Rows that wait. */
  get rows(): number {
    return this.#rows;
  }

  /** Whether a group is full. */
  get isFull(): boolean {
    return this.#rows >= this.#groupRows;
  }

  add(waiting: Waiting): void {
    this.#rows += waiting.entry.rows.length;
    this.#waiting.push(waiting);
  }

  /** Takes the next group out; nothing where nothing waits. */
  take(): readonly Waiting[] {
    if (this.#rows <= this.#groupRows) {
      const all = this.#waiting;
      this.#waiting = [];
      this.#rows = 0;
      return all;
    }
    let rows = 0;
    let entries = 0;
    for (const { entry } of this.#waiting) {
      if (entries > 0 && rows + entry.rows.length > this.#groupRows) break;
      rows += entry.rows.length;
      entries += 1;
    }
    this.#rows -= rows;
    const group = this.#waiting.slice(0, entries);
    this.#waiting = this.#waiting.slice(entries);
    return group;
  }
}
