/** PaceTold is what a process or thread of other work is told: whether it has to rest, since reviews come. */
export interface PaceTold {
  readonly rests: boolean;
}

/** Traffic tells whether reviews come at the moment. */
export interface Traffic {
  readonly comes: boolean;
}

/** A log of this many bytes has grown for a minute of 300 reviews a second. */
const LONG_LOG = 384 * 1024 * 1024;

/**
 * whileLogIsShort is the traffic for what reads one moment of a database: its log cannot begin again meanwhile, and must not fill the disk
 * as long as that rests. `bytes` gives its size.
 */
export function whileLogIsShort(traffic: Traffic, bytes: () => number): Traffic {
  return {
    get comes() {
      return traffic.comes && bytes() < LONG_LOG;
    },
  };
}

/** PaceRate is how a process or thread rests while reviews come. */
export interface PaceRate {
  /** So many times as long as it worked it rests. */
  readonly rest: number;
  /** Milliseconds that it works beforehand, where it has rested enough for them. */
  readonly burst: number;
}

/** A_TENTH of the time is what background work takes. */
export const A_TENTH: PaceRate = { rest: 9, burst: 0 };

/** PaceParts are for tests; milliseconds. */
export interface PaceParts {
  now(): number;
  /** What was worked. */
  worked(): number;
  /** Stops this thread. */
  rest(ms: number): void;
  /** Calls again and again, until it is told to end. */
  every(ms: number, act: () => void): () => void;
}

/** How often it looks what was worked, and the least that it rests for. */
const LOOK = 1;
/** The longest rest: what rests goes on hearing who started it, and a package gives a sign of its process each second. */
const LONGEST = 500;
/** How often who started it looks whether reviews come. */
const TELL = 1_000;

const NOBODY = new Int32Array(new SharedArrayBuffer(4));
const common = {
  now: () => performance.now(),
  rest: (ms: number) => void Atomics.wait(NOBODY, 0, 0, ms),
  every: (ms: number, act: () => void) => {
    const timer = setInterval(act, ms).unref();
    return () => clearInterval(timer);
  },
};
const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

/** OF_PROCESS is what all threads of a process work. */
export const OF_PROCESS: PaceParts = { ...common, worked: () => milliseconds(process.cpuUsage()) };
/** OF_THREAD is what this thread works. */
export const OF_THREAD: PaceParts = { ...common, worked: () => milliseconds(process.threadCpuUsage()) };

/**
 * Pace lets what works rest for most of the time while it has to. The lowest priority is not enough: a review that comes while all
 * processors are busy is answered later, even if it gets one at once.
 */
export class Pace {
  readonly #rate: PaceRate;
  readonly #parts: PaceParts;
  #rests = false;
  #works = true;
  #end: (() => void) | null = null;
  /** How it stood at the last look, and the rest that was owed then. */
  #at: number;
  #worked: number;
  #owed = 0;

  constructor(rate: PaceRate, parts: PaceParts) {
    this.#rate = rate;
    this.#parts = parts;
    this.#at = parts.now();
    this.#worked = parts.worked();
  }

  /** Takes whether reviews come. What was worked before is not made up for. */
  take({ rests }: PaceTold): void {
    if (rests && !this.#rests) {
      this.#count();
      this.#owed = 0;
    }
    this.#rests = rests;
    this.#look();
  }

  /** To be called by what does not always have work, where it begins and ends: meanwhile nothing looks. */
  set works(works: boolean) {
    this.#works = works;
    this.#look();
  }

  #look(): void {
    if (!this.#rests || !this.#works) {
      this.#end?.();
      this.#end = null;
    } else if (this.#end === null) {
      this.#end = this.#parts.every(LOOK, () => this.#restNow());
      this.#restNow();
    }
  }

  #restNow(): void {
    this.#count();
    const due = this.#owed - this.#rate.burst * this.#rate.rest;
    if (due >= LOOK) this.#parts.rest(Math.min(due, LONGEST));
  }

  /** Whatever it waited for was a rest as well. */
  #count(): void {
    const [at, worked] = [this.#parts.now(), this.#parts.worked()];
    const ms = worked - this.#worked;
    const rested = Math.max(0, at - this.#at - ms);
    this.#owed = Math.max(0, this.#owed + ms * this.#rate.rest - rested);
    [this.#at, this.#worked] = [at, worked];
  }
}

/** tellPace tells what works whether it has to rest, from now on. Gives what ends that. */
export function tellPace(tell: (told: PaceTold) => void, traffic: Traffic): () => void {
  let told: boolean | null = null;
  const look = (): void => {
    if (told === traffic.comes) return;
    told = traffic.comes;
    tell({ rests: told });
  };
  look();
  const timer = setInterval(look, TELL).unref();
  return () => clearInterval(timer);
}
