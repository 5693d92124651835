import { IpoError } from '../base/index.ts';
import type { Work } from './route.ts';

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
  /** Milliseconds for which a call that finds no place waits for one before it is turned away. */
  readonly wait: number;
  /** Calls of all accounts that may wait for a place; more are turned away at once. */
  readonly waiting: number;
}

/** PLACE_LIMITS bound them unless a setting says otherwise. */
export const PLACE_LIMITS: PlaceLimits = {
  perAccount: 8,
  exports: 2,
  all: 64,
  bytes: 128 * 1_048_576,
  wait: 2000,
  waiting: 1000,
};

/** Seconds after which a call that was turned away may find a place: most take less. */
const RETRY_AFTER = 2;

const CALLS: Readonly<Record<Work, string>> = {
  read: 'lists are being read for',
  export: 'exports are being sent to',
  import: 'imports are under way for',
};

/** Place is held by a costly call until its holder has left: the connection from the beginning, and the work once it begins. */
export interface Place {
  /** Holds it as well. */
  hold(): void;
  leave(): void;
}

/** Waiter is a call that waits for a place. */
interface Waiter {
  readonly work: Work;
  readonly account: string;
  readonly bytes: number;
  take(place: Place): void;
}

/**
 * Places hold how many costly calls each account has under way, so that none holds up another. The bound is looked at before a body is
 * read. One that does not read its answer keeps its place. A call that finds none waits a moment in the line of its account: who asks
 * again at once is not served before it, and refusing thousands of calls a second would cost more than the calls themselves.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #open = new Map<string, number>();
  /** The lines of the accounts, in the order of their turns. */
  readonly #lines = new Map<string, Set<Waiter>>();
  #waiting = 0;
  #all = 0;
  #bytes = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a place of an account for a call whose body has this many bytes, at once or when one is free within `wait` milliseconds. Throws
   * `rate_limited`, `unavailable`; the reason of the signal when its client leaves before.
   */
  async enter(work: Work, account: string, bytes: number, signal: AbortSignal): Promise<Place> {
    const key = keyOf(work, account);
    const lack = this.#lines.has(key) ? 'own' : this.#lack(work, account, bytes);
    if (lack === null) return this.#take(key, bytes);
    if (this.#waiting >= this.#limits.waiting) throw this.#fault(work, lack);
    return this.#wait({ work, account, bytes }, signal);
  }

  #wait(call: Omit<Waiter, 'take'>, signal: AbortSignal): Promise<Place> {
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const key = keyOf(call.work, call.account);
    const line = this.#lines.get(key) ?? new Set();
    this.#lines.set(key, line);
    const end = (): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', gone);
      line.delete(waiter);
      this.#waiting -= 1;
      if (line.size === 0) this.#lines.delete(key);
    };
    const waiter: Waiter = {
      ...call,
      take: (place) => {
        end();
        resolve(place);
      },
    };
    const late = setTimeout(() => {
      end();
      reject(this.#fault(call.work, this.#lack(call.work, call.account, call.bytes) ?? 'own'));
    }, this.#limits.wait);
    const gone = (): void => {
      end();
      reject(signal.reason as Error);
    };
    line.add(waiter);
    this.#waiting += 1;
    signal.addEventListener('abort', gone);
    return promise;
  }

  /** Whose places a call would need that are all taken, those of its own account or of all; null where it can have one. */
  #lack(work: Work, account: string, bytes: number): 'own' | 'all' | null {
    const { all, bytes: most } = this.#limits;
    if ((this.#open.get(keyOf(work, account)) ?? 0) >= this.#limitOf(work)) return 'own';
    return this.#all < all && (this.#bytes === 0 || this.#bytes + bytes <= most) ? null : 'all';
  }

  #fault(work: Work, lack: 'own' | 'all'): IpoError {
    if (lack === 'all')
      return new IpoError('unavailable', 'the service already runs its maximum number of costly calls', {
        retryAfter: RETRY_AFTER,
        hint: 'Ask again in a moment',
      });
    return new IpoError('rate_limited', `${this.#limitOf(work)} ${CALLS[work]} this account already`, {
      retryAfter: RETRY_AFTER,
      hint: 'Wait until one of them has its answer, then ask again',
    });
  }

  #limitOf(work: Work): number {
    return work === 'export' ? this.#limits.exports : this.#limits.perAccount;
  }

  #take(key: string, bytes: number): Place {
    this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
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
    this.#handOut();
  }

  /** Gives what is free to those who wait, one account after another. */
  #handOut(): void {
    let isGiven: boolean;
    do {
      isGiven = false;
      for (const [key, line] of [...this.#lines]) {
        const [first] = line;
        if (first === undefined || this.#lack(first.work, first.account, first.bytes) !== null) continue;
        this.#lines.delete(key);
        this.#lines.set(key, line); // the next turn is another's
        first.take(this.#take(key, first.bytes));
        isGiven = true;
      }
    } while (isGiven);
  }
}

function keyOf(work: Work, account: string): string {
  return `${work} ${account}`;
}
