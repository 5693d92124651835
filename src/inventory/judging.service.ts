import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/index.ts';
import type { ColdImagePolicy } from '../ledger/index.ts';
import { judgeImage } from './judge-image.ts';
import type { PoliciesInForce } from './policies-in-force.ts';
import type { ImageStore, ImageToJudge, Judged } from './ports.ts';

/** JudgingParts are what judging acts through. */
export interface JudgingParts {
  readonly images: Pick<ImageStore, 'follow' | 'stale' | 'facts' | 'refreshFacts' | 'judged'>;
  readonly policies: () => Promise<PoliciesInForce>;
  readonly coldImagePolicy: ColdImagePolicy;
  readonly clock: Clock;
}

/** Ledger rows and images that are taken in one step: a step blocks everyone else whom this process serves. */
const ROWS = 1_000;
const IMAGES = 10;

/**
 * Judging keeps the states of images up to date. Only what changed is judged again: images with new facts, new places, other
 * policies over them, or a triage decision that ended. Memory holds the facts of one image at a time.
 */
export class Judging {
  readonly #parts: JudgingParts;
  /** A round belongs to all who wait for it, so it joins no transaction of the one who happened to call first. */
  readonly #alone = AsyncLocalStorage.snapshot();
  /** The last round, and the one that waits for it; null once it has begun. */
  #last: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | null = null;

  constructor(parts: JudgingParts) {
    this.#parts = parts;
  }

  /**
   * Brings every state up to what was committed when this was called. Calls that come meanwhile share the next round. Not to be awaited
   * inside a transaction, for whose end the round may wait.
   */
  upToDate(): Promise<void> {
    this.#waiting ??= this.#last = this.#last
      .catch(() => {}) // told to those who waited for it
      .then(() => {
        this.#waiting = null;
        return this.#alone(() => this.#round());
      });
    return this.#waiting;
  }

  async #round(): Promise<void> {
    while (await this.#parts.images.follow(ROWS)) await nextTurn();
    await nextTurn();
    await this.#judgeStale();
  }

  async #judgeStale(): Promise<void> {
    const { images, policies, coldImagePolicy, clock } = this.#parts;
    const context = { ...(await policies()), coldImagePolicy, at: clock.now() };
    for (;;) {
      const stale = await images.stale(context.key, context.at, IMAGES);
      if (stale.length === 0) return;
      await nextTurn();
      const judged: Judged[] = [];
      for (const image of stale) {
        if (image.namesInFacts) judged.push(await this.#judge(image, context));
        else await images.refreshFacts(image.digest, context.at);
        await nextTurn();
      }
      await images.judged(judged);
      await nextTurn();
    }
  }

  #judge(image: ImageToJudge, context: Parameters<typeof judgeImage>[1]): Promise<Judged> {
    return judgeImage(image, context, () => this.#parts.images.facts(image.digest));
  }
}
