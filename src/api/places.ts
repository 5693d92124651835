import { IpoError } from '../base/index.ts';
import type { Work } from './apart.ts';

/** PlaceLimits bound the costly calls that wait, run or send their answer at one time. */
export interface PlaceLimits {
  /** Reads, and imports, of one account. */
  readonly perAccount: number;
  /** Exports of one account: each may last as long as its client likes. */
  readonly exports: number;
  /** Costly calls of all accounts. */
  readonly all: number;
  /** Bytes of the bodies of imports, of all accounts; one import is always taken. */
  readonly bytes: number;
}

/** PLACE_LIMITS bound them unless a setting says otherwise. */
export const PLACE_LIMITS: PlaceLimits = {
  perAccount: 8,
  exports: 2,
  all: 64,
  bytes: 128 * 1_048_576,
};

/** Seconds after which a call that was turned away may find a place: most take less. */
const RETRY_AFTER = 2;

const CALLS: Readonly<Record<Work, string>> = {
  read: 'lists are being read for',
  export: 'exports are being sent to',
  import: 'imports are under way for',
};

/** Place is held by a costly call until whoever holds it has left: the connection from the beginning, and the work once it begins. */
export interface Place {
  /** Holds it as well. */
  hold(): void;
  leave(): void;
}

/**
 * Places hold how many costly calls each account has under way, so that none holds up another. The bound is looked at before a body is
 * read. One that does not read its answer keeps its place.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #open = new Map<string, number>();
  #all = 0;
  #bytes = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Takes a place of an account for a call whose body has so many bytes. Throws `rate_limited`, `unavailable`. */
  enter(work: Work, account: string, bytes: number): Place {
    const key = `${work} ${account}`;
    const open = this.#open.get(key) ?? 0;
    const { perAccount, exports, all, bytes: most } = this.#limits;
    const limit = work === 'export' ? exports : perAccount;
    if (open >= limit)
      throw new IpoError('rate_limited', `${limit} ${CALLS[work]} this account already`, {
        retryAfter: RETRY_AFTER,
        hint: 'Wait until one of them has its answer, then ask again',
      });
    if (this.#all >= all || (this.#bytes > 0 && this.#bytes + bytes > most))
      throw new IpoError('unavailable', 'the service has as many costly calls as it takes at one time', {
        retryAfter: RETRY_AFTER,
        hint: 'Ask again in a moment',
      });
    this.#open.set(key, open + 1);
    this.#all += 1;
    this.#bytes += bytes;
    let holders = 1;
    return {
      hold: () => void (holders += 1),
      leave: () => {
        holders -= 1;
        if (holders === 0) this.#leave(key, bytes);
      },
    };
  }

  #leave(key: string, bytes: number): void {
    const open = this.#open.get(key) ?? 0;
    if (open > 1) this.#open.set(key, open - 1);
    else this.#open.delete(key);
    this.#all -= 1;
    this.#bytes -= bytes;
  }
}
