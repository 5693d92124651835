import type { Appended } from './new-row.ts';
import type { Stored } from './ports.ts';

/** Recorded is an answer of the database. Most callers never look at the rows, so they are made when they are asked for. */
export class Recorded implements Appended {
  readonly delayed = false;
  readonly #stored: Stored;

  constructor(stored: Stored) {
    this.#stored = stored;
  }

  get rows(): Stored['rows'] {
    return this.#stored.rows;
  }

  get repeat(): boolean {
    return this.#stored.repeat;
  }
}
