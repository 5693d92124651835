import type { Stored } from './ports.ts';

/** Reviews whose rows are remembered at least. */
const LEAST = 4096;

/** RecentReviews remembers the newest reviews that were stored, so that a repeat gets the same answer while the database cannot be asked. */
export class RecentReviews {
  #newer = new Map<string, Stored>();
  #older = new Map<string, Stored>();

  get(uid: string): Stored | undefined {
    return this.#newer.get(uid) ?? this.#older.get(uid);
  }

  add(uid: string, stored: Stored): void {
    this.#newer.set(uid, stored);
    if (this.#newer.size < LEAST) return;
    // All at once: to take out the oldest each time would cost more than to keep twice as many.
    this.#older = this.#newer;
    this.#newer = new Map();
  }
}
