/** CacheOptions bound what is remembered. */
export interface CacheOptions {
  /** Of all entries, in the unit of their sizes. */
  readonly maxSize: number;
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic: () => number;
}

interface Entry<T> {
  readonly value: T;
  readonly size: number;
  readonly until: number;
}

/** ExpiringCache remembers values for a time, and of too many those that were used last. */
export class ExpiringCache<T> {
  readonly #options: CacheOptions;
  readonly #entries = new Map<string, Entry<T>>();
  #size = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= this.#options.monotonic()) {
      this.delete(key);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry); // used last
    return entry.value;
  }

  /** A value that is larger than everything that may be remembered is not. */
  set(key: string, value: T, size: number, lifeMs: number): void {
    this.delete(key);
    const { maxSize, monotonic } = this.#options;
    if (size > maxSize || lifeMs <= 0) return;
    this.#entries.set(key, { value, size, until: monotonic() + lifeMs });
    this.#size += size;
    for (const [oldest] of this.#entries) {
      if (this.#size <= maxSize) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }

  get size(): number {
    return this.#size;
  }
}
