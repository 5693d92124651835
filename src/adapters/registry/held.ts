/** Held counts the places that are taken, for each host and for all together. */
export class Held {
  readonly #perHost: number;
  readonly #total: number;
  readonly #hosts = new Map<string, number>();
  #all = 0;

  constructor(perHost: number, total: number) {
    this.#perHost = perHost;
    this.#total = total;
  }

  isFree(host: string): boolean {
    return this.#all < this.#total && (this.#hosts.get(host) ?? 0) < this.#perHost;
  }

  take(host: string): void {
    this.#all += 1;
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
  }

  leave(host: string): void {
    this.#all -= 1;
    const left = (this.#hosts.get(host) ?? 1) - 1;
    if (left === 0) this.#hosts.delete(host);
    else this.#hosts.set(host, left);
  }
}
