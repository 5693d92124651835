import type { Clock, Log } from '../../base/index.ts';

const HOUR = 3_600_000;
/** A clock that went ahead counts once it has been ahead for this many milliseconds in which the service ran. */
const STANDS_AFTER = 24 * HOUR;
/** What clocks are apart without anybody having set one. */
const DRIFT = 60_000;
/** From here on the log says that retention waits. */
const TOLD_FROM = HOUR;

/** Reached is how far retention has come. Times are UTC milliseconds. */
export interface Reached {
  /** The time that it counts with. */
  readonly at: number;
  /** By how many milliseconds the clock has been ahead of that at least, for as long as `stood`. */
  readonly ahead: number;
  readonly stood: number;
}

/** RetentionTimes keep it, whichever replica leads and over restarts. */
export interface RetentionTimes {
  /** Null before the first time. */
  reached(): Promise<Reached | null>;
  keep(reached: Reached): Promise<void>;
}

/** RetentionClock tells the time that retention counts with. */
export interface RetentionClock {
  /** UTC milliseconds, never ahead of the clock. Rejects while the database does not answer. */
  now(): Promise<number>;
}

/** RetentionTimeDeps are what it is kept with. */
export interface RetentionTimeDeps {
  readonly times: RetentionTimes;
  readonly clock: Clock;
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic: () => number;
  readonly log: Log;
}

/**
 * RetentionTime is the time by which everything is deleted that is kept for a while only. It goes on as time passes in the running
 * service, and is never ahead of the clock. What the clock is ahead of it counts once it has been so for 24 hours of a running service:
 * nothing tells a service that was off for a month from a clock that is a month ahead, and what is deleted is gone.
 */
export class RetentionTime implements RetentionClock {
  readonly #deps: RetentionTimeDeps;
  #last: { readonly reached: Reached; readonly monotonic: number } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #told = false;

  constructor(deps: RetentionTimeDeps) {
    this.#deps = deps;
  }

  /** One after another, so that no time counts twice. */
  now(): Promise<number> {
    const turn = this.#turn.then(
      () => this.#goOn(),
      () => this.#goOn(),
    );
    this.#turn = turn;
    return turn;
  }

  async #goOn(): Promise<number> {
    const { times, clock, monotonic } = this.#deps;
    const before = await times.reached();
    const last = this.#last;
    const [wall, tick] = [clock.now(), monotonic()];
    // Where another replica went on from there, how long ago that was is not known.
    const isOurs = last !== null && before?.at === last.reached.at && before.stood === last.reached.stood;
    const reached = goOn(before, isOurs ? Math.max(0, Math.floor(tick - last.monotonic)) : 0, wall);
    await times.keep(reached);
    this.#last = { reached, monotonic: tick };
    this.#tell(wall - reached.at, STANDS_AFTER - reached.stood);
    return reached.at;
  }

  #tell(ahead: number, left: number): void {
    const waits = ahead >= TOLD_FROM;
    if (waits === this.#told) return;
    this.#told = waits;
    if (!waits) return this.#deps.log.info('retention counts with the clock again');
    this.#deps.log.warn('the clock went ahead while the service did not run, or was set; retention waits', {
      ahead_ms: ahead,
      counts_in_ms: left,
      hint: 'If the clock is right, do nothing. If it is wrong, correct it now; nothing has been deleted early',
    });
  }
}

/** goOn gives how far retention comes after this many milliseconds of a running service. */
function goOn(before: Reached | null, elapsed: number, wall: number): Reached {
  // A new database has nothing to delete.
  if (before === null) return { at: wall, ahead: 0, stood: 0 };
  const at = Math.min(before.at + elapsed, wall);
  const lead = wall - at;
  if (before.ahead < DRIFT) return { at, ahead: lead, stood: 0 };
  const [ahead, stood] = [Math.min(before.ahead, lead), before.stood + elapsed];
  if (ahead < DRIFT || stood < STANDS_AFTER) return { at, ahead, stood };
  return { at: at + ahead, ahead: lead - ahead, stood: 0 };
}
