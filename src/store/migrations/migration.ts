import type { AnyDatabase } from '../sql/schema.ts';

/**
 * Migration is one step of the schema. `up` runs inside the transaction that records it, so that it is done whole or not at all;
 * it speaks to the tables of its time and never to those of today.
 */
export interface Migration {
  /** Number and subject: `0001-accounts`. */
  readonly name: string;
  /** The release that brought it in. */
  readonly release: string;
  /** What it does, in one line. */
  readonly summary: string;
  up(db: AnyDatabase): Promise<void>;
}
