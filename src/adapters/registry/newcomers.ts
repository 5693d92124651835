import type { RegistryError } from '../../image/index.ts';
import { Held } from './held.ts';
import { NEWCOMERS, NEWCOMERS_PER_HOST } from './limits.ts';

interface Waiter {
  readonly host: string;
  readonly go: () => void;
}

/**
 * Newcomers bounds what is asked of hosts that have not answered yet, apart from all others: anyone who makes pods names hosts that lead
 * nowhere, and those must not take the places of registries that answer.
 */
export class Newcomers {
  readonly #isProven: (host: string) => boolean;
  readonly #held = new Held(NEWCOMERS_PER_HOST, NEWCOMERS);
  #waiting: Waiter[] = [];

  constructor(isProven: (host: string) => boolean) {
    this.#isProven = isProven;
  }

  /** Waits for a place, or until the host has answered another. Gives what leaves it. Throws what `away` rejects with, and the signal's reason. */
  async enter(host: string, away: Promise<never>, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#isProven(host)) return () => {};
    if (this.#held.isFree(host)) this.#held.take(host);
    else {
      const free = Promise.withResolvers<void>();
      const waiter: Waiter = { host, go: free.resolve };
      const cut = (): void => free.reject(signal.reason as RegistryError);
      this.#waiting.push(waiter);
      signal.addEventListener('abort', cut, { once: true });
      try {
        await Promise.race([free.promise, away]);
      } finally {
        signal.removeEventListener('abort', cut);
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
      }
    }
    return () => this.#leave(host);
  }

  #leave(host: string): void {
    this.#held.leave(host);
    this.#wake();
  }

  /** All of a host that has answered, and the first of the others for which there is room. */
  #wake(): void {
    const ready = this.#waiting.filter(({ host }) => this.#isProven(host));
    const next = this.#waiting.find((waiter) => !ready.includes(waiter) && this.#held.isFree(waiter.host));
    const going = next === undefined ? ready : [...ready, next];
    this.#waiting = this.#waiting.filter((waiter) => !going.includes(waiter));
    for (const { host, go } of going) {
      this.#held.take(host);
      go();
    }
  }
}
