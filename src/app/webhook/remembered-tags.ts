import type { DigestLookup, TagAnswer } from '../../admission/index.ts';

/** RememberedTagsOptions say who is asked what a tag stands for, and by which clock answers grow old. */
export interface RememberedTagsOptions {
  readonly ask: (reference: string, signal: AbortSignal) => Promise<TagAnswer>;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

/** From this age on an answer that is used is asked for again beside the review; beyond the other it is not used any more. Milliseconds. */
const ANEW = 5_000;
const KEPT = 15_000;
/** A question of nobody is given so long. */
const PATIENCE = 10_000;
/** References that are remembered. */
const MOST = 5_000;

interface Remembered {
  readonly answer: TagAnswer;
  readonly at: number;
  asking: boolean;
}

/**
 * RememberedTags keeps what tags stand for in memory, so that a review waits for another process only with the first of an image. What is
 * not known is not remembered.
 */
export class RememberedTags implements DigestLookup {
  readonly #options: RememberedTagsOptions;
  readonly #known = new Map<string, Remembered>();

  constructor(options: RememberedTagsOptions) {
    this.#options = options;
  }

  async digestOf(reference: string, signal: AbortSignal): Promise<TagAnswer> {
    const known = this.#known.get(reference);
    const age = known === undefined ? Infinity : this.#options.monotonic() - known.at;
    if (known === undefined || age > KEPT) return this.#ask(reference, signal);
    if (age > ANEW && !known.asking) {
      known.asking = true;
      void this.#ask(reference, AbortSignal.timeout(PATIENCE)).catch(() => {
        known.asking = false;
      });
    }
    return known.answer;
  }

  async #ask(reference: string, signal: AbortSignal): Promise<TagAnswer> {
    const at = this.#options.monotonic();
    const answer = await this.#options.ask(reference, signal);
    this.#known.delete(reference);
    if (answer.digest === null) return answer;
    if (this.#known.size >= MOST) {
      const [oldest = ''] = this.#known.keys();
      this.#known.delete(oldest);
    }
    this.#known.set(reference, { answer, at, asking: false });
    return answer;
  }
}
