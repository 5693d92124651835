import { RegistryError } from '../../image/index.ts';
import { ExpiringCache } from './cache.ts';

/** Milliseconds of quiet where a registry asks for it without saying for how long, and at most. */
const UNSAID_MS = 10_000;
const LONGEST_MS = 300_000;

/** Quiet remembers which account of a registry was asked to slow down, so that it is not asked again before. */
export class Quiet {
  readonly #until: ExpiringCache<number>;
  readonly #now: () => number;

  constructor(monotonic: () => number) {
    this.#now = monotonic;
    this.#until = new ExpiringCache({ maxSize: 2000, monotonic });
  }

  /** Throws RegistryError `rate_limited` while an account has to wait. */
  check(account: string, host: string): void {
    const until = this.#until.get(account);
    if (until !== undefined)
      throw new RegistryError('rate_limited', `${host} asked to slow down; it is not asked yet`, {
        remedy: 'slow_down',
        retryAfter: Math.ceil((until - this.#now()) / 1000),
        busy: true,
      });
  }

  /** Takes a fault of an account, and what it asks for. */
  heard(account: string, { fault, retryAfter }: RegistryError): void {
    if (fault !== 'rate_limited') return;
    const ms = Math.min((retryAfter ?? UNSAID_MS / 1000) * 1000, LONGEST_MS);
    this.#until.set(account, this.#now() + ms, 1, ms);
  }
}
