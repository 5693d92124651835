import {
  AppendError,
  recordedRow,
  type LedgerEntry,
  type LedgerWriter,
  type RecordedRow,
  type Stored,
} from '../../src/ledger/index.ts';

/** MemoryLedger is a ledger in memory that can be told to fail, to hang, and to refuse an entry for good. */
export class MemoryLedger implements LedgerWriter {
  readonly rows: RecordedRow[] = [];
  /** How many entries each call had that was made while the ledger was up. */
  readonly calls: number[] = [];
  mode: 'up' | 'down' | 'hanging' = 'up';
  /** Of a review with this uid every append is refused for good. */
  poison: string | null = null;
  readonly #held: (() => void)[] = [];

  async appendAll(entries: readonly LedgerEntry[]): Promise<readonly Stored[]> {
    if (this.mode === 'down') throw new Error('connection refused');
    if (this.mode === 'hanging') await new Promise<void>((resolve) => this.#held.push(resolve));
    else await new Promise<void>((resolve) => setImmediate(resolve));
    if ((this.mode as string) === 'down') throw new Error('connection lost');
    if (entries.some(({ uid }) => uid !== null && uid === this.poison))
      throw new AppendError('invalid_request', 'never');
    this.calls.push(entries.length);
    return entries.map(({ uid, rows }) => {
      const there = uid === null ? [] : this.rows.filter((row) => row.review_uid === uid);
      if (there.length > 0) return { rows: there, repeat: true };
      const added = rows.map((row, i) => recordedRow(uid, row, this.rows.length + i + 1));
      this.rows.push(...added);
      return { rows: added, repeat: false };
    });
  }

  /** Lets the calls that hang go on, in the mode that is set by now. */
  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  /** The uids of the rows. */
  uids(): (string | null | undefined)[] {
    return this.rows.map((row) => row.review_uid);
  }
}

/** BusyLedger is one to which somebody else writes whenever it is asked: no append is done at once. */
export class BusyLedger extends MemoryLedger {
  appendNow(): null {
    return null;
  }

  areNew(entries: readonly LedgerEntry[]): boolean {
    const there = new Set(this.uids());
    return entries.every(({ uid }) => uid !== null && !there.has(uid));
  }
}
