/** Faults that one outage tells; one that says something else each time would fill a log. */
const MOST = 10;

/** Outage remembers what is wrong for as long as it is, so that a log says it once when it begins and once when it ends. */
export class Outage {
  readonly #told = new Set<string>();

  /** Whether a fault was not said since the outage began. */
  isNew(fault: string): boolean {
    if (this.#told.has(fault) || this.#told.size === MOST) return false;
    this.#told.add(fault);
    return true;
  }

  /** Ends it; gives whether there was one. */
  ends(): boolean {
    const stood = this.#told.size > 0;
    this.#told.clear();
    return stood;
  }
}
