import type { LedgerEntry, Spool } from '../../src/ledger/index.ts';

/** MemorySpool is a spool in memory that can be told to fail. */
export class MemorySpool implements Spool {
  waiting: LedgerEntry[] = [];
  readonly aside: { readonly uid: string | null | undefined; readonly reason: string }[] = [];
  readonly place = 'memory';
  maxRows = Infinity;
  broken = false;

  get rows(): number {
    return this.waiting.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  async append(entries: readonly LedgerEntry[]): Promise<number> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.broken) throw new Error('ENOSPC');
    let taken = 0;
    for (const entry of entries) {
      if (this.rows + entry.rows.length > this.maxRows) break;
      this.waiting.push(entry);
      taken += 1;
    }
    return taken;
  }

  peek(rows: number): readonly LedgerEntry[] {
    let sum = 0;
    const end = this.waiting.findIndex((entry) => (sum += entry.rows.length) > rows);
    return this.waiting.slice(0, end === -1 ? undefined : Math.max(1, end));
  }

  *entries(): Iterable<LedgerEntry> {
    yield* this.waiting;
  }

  async drop(count: number): Promise<void> {
    this.waiting.splice(0, count);
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.broken) throw new Error('EIO');
  }

  async setAside(reason: string): Promise<void> {
    this.aside.push({ uid: this.waiting.shift()?.uid, reason });
  }

  async close(): Promise<void> {}
}
