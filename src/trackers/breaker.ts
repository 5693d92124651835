const TRIES = 3;
const SHORTEST = 60_000;
const LONGEST = 30 * 60_000;

interface Fault {
  count: number;
  /** When it may be tried again. */
  until: number;
}

/**
 * Breaker keeps a host (or a channel) that fails from being called again and again: after three errors in a row it is not called for a
 * minute, and twice as long after each further one, up to half an hour. Times are of any clock that only goes forward.
 */
export class Breaker {
  readonly #faults = new Map<string, Fault>();

  allows(name: string, at: number): boolean {
    return at >= (this.#faults.get(name)?.until ?? -Infinity);
  }

  failed(name: string, at: number): void {
    const count = (this.#faults.get(name)?.count ?? 0) + 1;
    const pause = count < TRIES ? 0 : Math.min(SHORTEST * 2 ** (count - TRIES), LONGEST);
    this.#faults.set(name, { count, until: at + pause });
  }

  succeeded(name: string): void {
    this.#faults.delete(name);
  }
}
