import type { KnownUids } from './known-uids.ts';

/** UidMemory is what appends know of the reviews in the ledger. */
export type UidMemory = Pick<
  KnownUids,
  'hasFollowed' | 'follow' | 'following' | 'catchUp' | 'find' | 'size' | 'suspects' | 'committed' | 'add'
>;

/** NoUids is for a process that appends no review: it keeps only how long the ledger is, to notice that others appended. */
export class NoUids implements UidMemory {
  #size = -1;

  readonly hasFollowed = true;

  get size(): number {
    return this.#size;
  }

  async follow(): Promise<void> {}

  following<T>(act: () => Promise<T>): Promise<T> {
    return act();
  }

  async catchUp(_transaction: unknown, size: number): Promise<boolean> {
    const hasGrown = size !== this.#size;
    this.#size = size;
    return hasGrown;
  }

  async find(): Promise<Map<string, number>> {
    return new Map();
  }

  suspects(): readonly [] {
    return [];
  }

  committed(_before: number, _added: unknown, size: number): void {
    this.#size = size;
  }

  async add(_transaction: unknown, _added: unknown, size: number): Promise<() => void> {
    return () => void (this.#size = size);
  }
}
