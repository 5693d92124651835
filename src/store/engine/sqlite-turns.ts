import { setTimeout as sleep } from 'node:timers/promises';
import { Flag } from './sqlite-flag.ts';
import { isBusy } from '../sql/sqlite-faults.ts';
import { StoreError } from '../sql/store-error.ts';

/**
 * Turn says how a process that writes stands to another that writes to the same file of SQLite: `first` answers reviews and writes as soon
 * as the transaction under way is over; `behind` begins none while the first waits. Without one a process does not look at the others.
 */
export type Turn = 'first' | 'behind';

/** Turns are the order in which processes take the write lock of a file. */
export interface Turns {
  /** Takes the lock by an act that throws while another process has it; throws what it threw last once the time is over. */
  begin(act: () => unknown): Promise<void>;
  /** The same without waiting: false where the lock is taken, or the turn is another's. */
  beginNow(act: () => unknown): boolean;
  close(): void;
}

/** TurnTimes are for tests; milliseconds. */
export interface TurnTimes {
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

/**
 * How often a process with a turn asks for the lock again, in milliseconds: what the first waits beyond the transaction under way. It never
 * blocks meanwhile: most of what it waits with is put back from the spool, and reviews that come would wait as well.
 */
const POLL = 1;
/** How long one that is behind heeds a first that waits: a live one has the lock after a poll, one that was stopped never. */
const HEED = 250;
/** How long one that is behind finds the lock taken whenever it looks, before it asks for a gap. */
const PATIENCE = 20;
/** How often the first looks whether it is asked for a gap, and how long it leaves one. */
const LOOK = 50;
const GAP = 5;
/** Without a turn: the longest pause before the lock is asked for again. */
const PAUSE = 50;

/** FLAGS are the files beside the database by which processes know of each other. */
export const FLAGS = { first: '-first-waits', behind: '-behind-waits' } as const;

const REAL: TurnTimes = { now: () => performance.now(), wait: sleep };

/** turnsOf gives the order for one writer of a file; `timeout` is in milliseconds. Throws StoreError. */
export function turnsOf(
  file: string,
  turn: Turn | undefined,
  timeout: number,
  times: TurnTimes = REAL,
): Turns {
  if (turn === undefined) return new Alone(timeout, times);
  const flags = { first: new Flag(file, FLAGS.first), behind: new Flag(file, FLAGS.behind) };
  return turn === 'first' ? new First(flags, timeout, times) : new Behind(flags, timeout, times);
}

type Flags = Readonly<Record<Turn, Flag>>;

class Alone implements Turns {
  readonly #timeout: number;
  readonly #times: TurnTimes;

  constructor(timeout: number, times: TurnTimes) {
    this.#timeout = timeout;
    this.#times = times;
  }

  async begin(act: () => unknown): Promise<void> {
    const end = this.#times.now() + this.#timeout;
    for (let pause = 1; !took(act, this.#times.now() >= end); pause = Math.min(pause * 2, PAUSE))
      await this.#times.wait(pause);
  }

  beginNow(act: () => unknown): boolean {
    return took(act);
  }

  close(): void {}
}

class First implements Turns {
  readonly #flags: Flags;
  readonly #timeout: number;
  readonly #times: TurnTimes;
  #looked = -Infinity;

  constructor(flags: Flags, timeout: number, times: TurnTimes) {
    this.#flags = flags;
    this.#timeout = timeout;
    this.#times = times;
  }

  async begin(act: () => unknown): Promise<void> {
    const { now, wait } = this.#times;
    await this.#leaveGap();
    if (took(act)) return;
    const end = now() + this.#timeout;
    try {
      do {
        this.#flags.first.raise();
        await wait(POLL);
      } while (!took(act, now() >= end));
    } finally {
      this.#flags.first.lower();
    }
  }

  beginNow(act: () => unknown): boolean {
    const now = this.#times.now();
    if (now - this.#looked >= LOOK) {
      if (this.#flags.behind.isUp) return false;
      this.#looked = now;
    }
    return took(act);
  }

  /** One transaction right after another would leave the others no moment to take the lock in. */
  async #leaveGap(): Promise<void> {
    const { now, wait } = this.#times;
    const began = now();
    if (began - this.#looked < LOOK) return;
    while (now() - began < GAP && this.#flags.behind.isUp) await wait(POLL);
    this.#looked = now();
  }

  close(): void {
    closeFlags(this.#flags);
  }
}

class Behind implements Turns {
  readonly #flags: Flags;
  readonly #timeout: number;
  readonly #times: TurnTimes;

  constructor(flags: Flags, timeout: number, times: TurnTimes) {
    this.#flags = flags;
    this.#timeout = timeout;
    this.#times = times;
  }

  async begin(act: () => unknown): Promise<void> {
    const { now, wait } = this.#times;
    const began = now();
    let heeded = 0;
    try {
      for (;;) {
        if (heeded < HEED && this.#flags.first.isUp) heeded += POLL;
        else if (took(act, now() - began >= this.#timeout)) return;
        if (now() - began >= PATIENCE) this.#flags.behind.raise();
        await wait(POLL);
      }
    } finally {
      this.#flags.behind.lower();
    }
  }

  beginNow(act: () => unknown): boolean {
    return !this.#flags.first.isUp && took(act);
  }

  close(): void {
    closeFlags(this.#flags);
  }
}

function closeFlags(flags: Flags): void {
  flags.first.close();
  flags.behind.close();
}

/** Whether the act took the lock; it throws what the act threw where that is not a lock of another, or where this was the last attempt. */
function took(act: () => unknown, isLast = false): boolean {
  try {
    act();
    return true;
  } catch (error) {
    const busy = isBusy(error) || (error instanceof StoreError && isBusy(error.cause));
    if (!busy || isLast) throw error;
    return false;
  }
}
