/** WriteTimes says how a write transaction went, in milliseconds. */
export interface WriteTimes {
  /** From the call to the beginning: behind the others of this process, and for the lock. */
  readonly waited: number;
  /** From the beginning to the end of the commit; on SQLite nobody else can write meanwhile. Not what becoming durable takes after it. */
  readonly held: number;
  /** Names the functions that called for it, the nearest first; made when it is asked for. */
  readonly from: () => string;
}

/** Frames of a stack that name who wrote. */
const FRAMES = 4;

/** WriteWatch times one write transaction; made where it is asked for, so that it can name who did. */
export class WriteWatch {
  readonly #tell: (write: WriteTimes) => void;
  readonly #stack: { stack?: string } = {};
  readonly #asked = performance.now();
  #begun: number | null = null;

  /** `outside` is the function below which the callers stand. */
  constructor(tell: (write: WriteTimes) => void, outside: (...given: never[]) => unknown) {
    this.#tell = tell;
    Error.captureStackTrace(this.#stack, outside);
  }

  begun(): void {
    this.#begun = performance.now();
  }

  /** Call it after the commit, or the end of what failed; nothing is told of one that never began. */
  ended(): void {
    if (this.#begun === null) return;
    const { stack = '' } = this.#stack;
    this.#tell({
      waited: this.#begun - this.#asked,
      held: performance.now() - this.#begun,
      from: () =>
        stack
          .split('\n')
          .slice(1, 1 + FRAMES)
          .map((line) => line.trim().replace(/^at (?:async )?/, ''))
          .join(' < '),
    });
  }
}
