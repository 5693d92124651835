import { RegistryError } from '../../image/index.ts';

/** Who may wait for a place of one host; more are turned away at once. */
const MOST_WAITING = 1000;

/** Places let so many act at once for one host, and for all together, in the order in which they came. */
export class Places {
  readonly #perHost: number;
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #all = 0;
  #waiting: { readonly host: string; readonly go: () => void }[] = [];

  constructor(perHost: number, total: number) {
    this.#perHost = perHost;
    this.#total = total;
  }

  /** Waits for a place. Gives what leaves it, to be called once. Throws the signal's reason, or RegistryError `cancelled` (which says nothing of the host). */
  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#isFree(host)) {
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
    } else this.#take(host);
    return () => this.#leave(host);
  }

  #isFree(host: string): boolean {
    return this.#all < this.#total && (this.#held.get(host) ?? 0) < this.#perHost;
  }

  #take(host: string): void {
    this.#all += 1;
    this.#held.set(host, (this.#held.get(host) ?? 0) + 1);
  }

  #leave(host: string): void {
    this.#all -= 1;
    const left = (this.#held.get(host) ?? 1) - 1;
    if (left === 0) this.#held.delete(host);
    else this.#held.set(host, left);
    const next = this.#waiting.findIndex((waiter) => this.#isFree(waiter.host));
    const [waiter] = next === -1 ? [] : this.#waiting.splice(next, 1);
    if (waiter === undefined) return;
    this.#take(waiter.host);
    waiter.go();
  }
}
