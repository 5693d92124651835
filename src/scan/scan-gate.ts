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

  /** Runs a change while nothing else runs. */
  async change<T>(act: () => Promise<T>): Promise<T> {
    if (this.#changing || this.#scans > 0) await new Promise<void>((resume) => this.#changes.push(resume));
    this.#changing = true;
    try {
      return await act();
    } finally {
      this.#changing = false;
      this.#next();
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
