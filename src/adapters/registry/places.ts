import { RegistryError } from '../../image/index.ts';
import { Held } from './held.ts';

/** Who may wait for a place of one host; more are turned away at once. */
const MOST_WAITING = 1000;

/** Places let this many act at once for one host, and for all together, in the order in which they came. */
export class Places {
  readonly #held: Held;
  #waiting: { readonly host: string; readonly go: () => void }[] = [];

  constructor(perHost: number, total: number) {
    this.#held = new Held(perHost, total);
  }

  /** Waits for a place. Gives what leaves it, to be called once. Throws the signal's reason, or RegistryError `cancelled` (which says nothing of the host). */
  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#held.isFree(host)) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new RegistryError('cancelled', `too many calls wait for registries; ${host} was not called`);
      await new Promise<void>((resolve, reject) => {
        const waiter = { host, go: resolve };
        this.#waiting.push(waiter);
        const left = (): void => {
          if (!this.#waiting.includes(waiter)) return; // its turn came
          this.#waiting = this.#waiting.filter((one) => one !== waiter);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', left, { once: true });
        waiter.go = () => {
          signal.removeEventListener('abort', left);
          resolve();
        };
      });
    } else this.#held.take(host);
    return () => this.#leave(host);
  }

  #leave(host: string): void {
    this.#held.leave(host);
    const next = this.#waiting.findIndex((waiter) => this.#held.isFree(waiter.host));
    const [waiter] = next === -1 ? [] : this.#waiting.splice(next, 1);
    if (waiter === undefined) return;
    this.#held.take(waiter.host);
    waiter.go();
  }
}
