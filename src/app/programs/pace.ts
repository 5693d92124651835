import type { ChildProcess } from 'node:child_process';

/** PaceTold is what a process of background work is told: whether it has to rest, since reviews come. */
export interface PaceTold {
  readonly rests: boolean;
}

/** Traffic tells whether reviews come at the moment. */
export interface Traffic {
  readonly comes: boolean;
}

/** PaceParts are for tests; milliseconds. */
export interface PaceParts {
  /** What all threads of this process have worked. */
  worked(): number;
  /** Stops this thread. */
  rest(ms: number): void;
  /** Calls again and again, until it is told to end. */
  every(ms: number, act: () => void): () => void;
}

/** So many times as long as it worked a process rests: it takes a tenth of a processor. */
const REST = 9;
/** How often it looks what it has worked, and the least that it rests for. */
const LOOK = 1;
/** The longest rest: it goes on hearing its parent, and a package gives a sign of its process each second. */
const LONGEST = 500;
/** How often a parent looks whether reviews come. */
const TELL = 1_000;

const NOBODY = new Int32Array(new SharedArrayBuffer(4));
const REAL: PaceParts = {
  worked: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  rest: (ms) => void Atomics.wait(NOBODY, 0, 0, ms),
  every: (ms, act) => {
    const timer = setInterval(act, ms).unref();
    return () => clearInterval(timer);
  },
};

/**
 * Pace lets this process work a tenth of the time while it has to rest. The lowest priority is not enough: a review that comes while all
 * processors are busy is answered later, even if it gets one at once.
 */
export class Pace {
  readonly #parts: PaceParts;
  #end: (() => void) | null = null;

  constructor(parts: PaceParts = REAL) {
    this.#parts = parts;
  }

  take({ rests }: PaceTold): void {
    if (rests === (this.#end !== null)) return;
    this.#end?.();
    this.#end = rests ? this.#begin() : null;
  }

  #begin(): () => void {
    const { worked, rest, every } = this.#parts;
    let before = worked();
    return every(LOOK, () => {
      const ms = worked() - before;
      if (ms < LOOK) return;
      rest(Math.min(ms * REST, LONGEST));
      before = worked();
    });
  }
}

/** tellPace tells a process of background work whether it has to rest, until it ends. */
export function tellPace(child: ChildProcess, traffic: Traffic): void {
  let told: boolean | null = null;
  const tell = (): void => {
    if (told === traffic.comes) return;
    told = traffic.comes;
    child.send({ rests: told } satisfies PaceTold, () => {}); // one that is gone tells it by its exit
  };
  tell();
  const timer = setInterval(tell, TELL).unref();
  child.once('exit', () => clearInterval(timer));
}
