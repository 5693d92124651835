/**
 * inStep gives what a source yields to two readers, which go through it together: what one has read waits until the other has, so that
 * memory is that of one chunk. Both must read, at once; when one stops early, the other goes on without it. `open` is called with the first
 * read, and what it throws, or the source does, both get.
 */
export function inStep<T>(open: () => AsyncIterable<T>): readonly [AsyncIterable<T>, AsyncIterable<T>] {
  const shared = new Shared(open);
  return [new Reader(shared, 0), new Reader(shared, 1)];
}

/** Which of the two readers. */
type Side = 0 | 1;

/** Shared is the source of both. */
class Shared<T> {
  readonly #open: () => AsyncIterable<T>;
  #source: AsyncIterator<T> | null = null;
  /** The number of the chunk that each asks for; infinite once it reads no more. */
  readonly #asked = [-1, -1];
  #number = -1;
  #chunk: Promise<IteratorResult<T, unknown>> | null = null;
  #wake: () => void = () => {};

  constructor(open: () => AsyncIterable<T>) {
    this.#open = open;
  }

  /** The chunk of a number, once the other reader needs none before it. */
  async chunk(side: Side, number: number): Promise<IteratorResult<T, unknown>> {
    this.#asked[side] = number;
    this.#wake();
    while (this.#askedBy(other(side)) < number) await new Promise<void>((wake) => (this.#wake = wake));
    if (this.#number < number || this.#chunk === null) {
      this.#number = number;
      this.#chunk = this.#next();
    }
    return this.#chunk;
  }

  async leave(side: Side): Promise<void> {
    this.#asked[side] = Infinity;
    this.#wake();
    if (this.#askedBy(other(side)) === Infinity) await this.#source?.return?.();
  }

  #askedBy(side: Side): number {
    return this.#asked[side] ?? -1;
  }

  async #next(): Promise<IteratorResult<T, unknown>> {
    this.#source ??= this.#open()[Symbol.asyncIterator]();
    return this.#source.next();
  }
}

function other(side: Side): Side {
  return side === 0 ? 1 : 0;
}

class Reader<T> implements AsyncIterableIterator<T> {
  readonly #shared: Shared<T>;
  readonly #side: Side;
  #number = 0;

  constructor(shared: Shared<T>, side: Side) {
    this.#shared = shared;
    this.#side = side;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const given = await this.#shared.chunk(this.#side, this.#number);
    this.#number += 1;
    return given.done === true ? { done: true, value: undefined } : given;
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.#shared.leave(this.#side);
    return { done: true, value: undefined };
  }
}
