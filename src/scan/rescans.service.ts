import { isWaiting, type Clock, type Digest } from '../base/index.ts';
import type { ScanQueue } from './ports.ts';
import type { RescanStore, VulnerabilityDatabaseStore } from './scanner-ports.ts';

/** RescansDeps are what images are scanned again with. */
export interface RescansDeps {
  readonly store: RescanStore;
  readonly queue: Pick<ScanQueue, 'request'>;
  readonly database: Pick<VulnerabilityDatabaseStore, 'state'>;
  /** The name of the scanner of today. */
  readonly scanner: string;
  /** Milliseconds that a scan is good for, however new the database. */
  readonly minAge: number;
  /** An image that neither ran nor was reviewed for this many milliseconds is not in use. */
  readonly usedWithin: number;
  readonly clock: Clock;
}

/** Where nothing was due, nobody looks again for this many milliseconds. */
const QUIET_MS = 60_000;
/** An image whose scan was given up is not scanned for this many milliseconds. */
const REST_MS = 24 * 60 * 60_000;
const MOST_RESTING = 10_000;
/** Where others always wait, one is asked for every this many milliseconds all the same. */
const CROWDED_MS = 2 * 60_000;

/**
 * Rescans asks for scans of images in use whose scan knew an older database. It is asked where no other scan waits, a few at a time, so
 * that a new image never stands behind all of those; and where others always wait, one every two minutes, so that a user who creates many
 * pods cannot delay the findings of others.
 */
export class Rescans {
  readonly #deps: RescansDeps;
  readonly #resting = new Map<Digest, number>();
  #quietUntil = -Infinity;
  #wantedAt = -Infinity;

  constructor(deps: RescansDeps) {
    this.#deps = deps;
  }

  /** Asks for up to `limit` scans, and gives how many; 0 is where there is no room for any just now. */
  async want(limit: number): Promise<number> {
    const { queue, database, clock } = this.#deps;
    const at = clock.now();
    if (this.#wantedAt > at) this.#wantedAt = at; // the clock was set back
    if (isWaiting(this.#quietUntil, at, QUIET_MS) || (limit === 0 && at - this.#wantedAt < CROWDED_MS))
      return 0;
    const { updatedAt } = await database.state();
    const digests = updatedAt === null ? [] : await this.#due(updatedAt, Math.max(limit, 1), at);
    this.#wantedAt = at;
    if (digests.length === 0) {
      this.#quietUntil = at + QUIET_MS;
      return 0;
    }
    const { queued } = await queue.request(digests, null, at);
    return queued.length;
  }

  /** A scan of this image was given up, or says nothing: it would be due again at once. */
  rest(digest: Digest): void {
    if (this.#resting.size >= MOST_RESTING) this.#resting.clear();
    this.#resting.set(digest, this.#deps.clock.now() + REST_MS);
  }

  async #due(databaseAt: number, limit: number, at: number): Promise<readonly Digest[]> {
    const { store, scanner, minAge, usedWithin } = this.#deps;
    for (const [digest, until] of this.#resting)
      if (!isWaiting(until, at, REST_MS)) this.#resting.delete(digest);
    const due = await store.due({
      databaseAt,
      scanner,
      scannedBefore: at - minAge,
      usedSince: at - usedWithin,
      limit: limit + this.#resting.size,
    });
    return due.filter((digest) => !this.#resting.has(digest)).slice(0, limit);
  }
}
