import type { Traffic } from '../programs/pace.ts';
import type { ReviewsStatus } from './acts.ts';

/** Reviews that came so long ago, in milliseconds, are a sign that others follow: a cluster has them in bursts. */
const FOLLOW_MS = 5_000;

/** ReviewTraffic tells whether reviews come, by how many the webhook's part has answered each time that it was asked. */
export class ReviewTraffic implements Traffic {
  readonly #monotonic: () => number;
  #answered = 0;
  #last = -Infinity;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** Takes how it stands; a new life of it counts from 0. */
  saw(status: Pick<ReviewsStatus, 'answered' | 'reviews'> | null): void {
    if (status === null) return;
    if (status.answered !== this.#answered || status.reviews > 0) this.#last = this.#monotonic();
    this.#answered = status.answered;
  }

  get comes(): boolean {
    return this.#monotonic() - this.#last < FOLLOW_MS;
  }
}
