/**
 * ScanGate lets scans run side by side, and a change of what they read while none runs. From the moment a change waits, no scan begins,
 * so that scans without end cannot hold it up.
 */
export class ScanGate {
  #scans = 0;
  #changing = false;
  readonly #changes: (() => void)[] = [];

  /** Scans that are under way. */
  get scans(): number {
    return this.#scans;
  }

  /** Lets a scan begin, and gives what is to be called once when it has ended; null while a change runs or waits. */
  enter(): (() => void) | null {
    if (this.#changing || this.#changes.length > 0) return null;
    this.#scans += 1;
    return () => {
      this.#scans -= 1;
      this.#next();
    };
  }

  /** Runs a change while nothing else runs. One that waits is given up when it is aborted, and throws the reason. */
  async change<T>(act: () => Promise<T>, signal = new AbortController().signal): Promise<T> {
    signal.throwIfAborted();
    if (this.#changing || this.#scans > 0) await this.#turn(signal);
    this.#changing = true;
    try {
      return await act();
    } finally {
      this.#changing = false;
      this.#next();
    }
  }

  /** Waits until nothing else runs: scans may take many minutes, and a service that ends has seconds. */
  async #turn(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const giveUp = (): void => {
      const at = this.#changes.indexOf(turn.resolve);
      if (at === -1) return; // its turn has come
      this.#changes.splice(at, 1);
      turn.reject(signal.reason);
    };
    this.#changes.push(turn.resolve);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  #next(): void {
    if (this.#changing || this.#scans > 0) return;
    const change = this.#changes.shift();
    if (change === undefined) return;
    // Taken here: no scan may begin before it resumes.
    this.#changing = true;
    change();
  }
}
