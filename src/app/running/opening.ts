/**
 * Opening is what a start has opened so far. At a start that fails it closes all of it, the last first; one that answers takes it over, to close
 * it in the same order at its end.
 */
export class Opening implements AsyncDisposable {
  readonly #opened = new AsyncDisposableStack();
  #answers = false;

  /** Closes `one` when its turn comes, and gives it. */
  adopt<T>(one: T, close: (one: T) => Promise<void> | void): T {
    return this.#opened.adopt(one, close);
  }

  /** Does this in its turn where nothing answered yet: what did is ended first of all, in an order of its own. */
  unlessAnswered(act: () => Promise<unknown>): void {
    this.#opened.defer(async () => {
      if (!this.#answers) await act();
    });
  }

  /** It answers, so nothing is closed any more but by what this gives. */
  answers(): () => Promise<void> {
    this.#answers = true;
    const opened = this.#opened.move();
    return () => opened.disposeAsync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}
