import type { IncomingMessage } from 'node:http';
import { MAX_REVIEW_BYTES } from '../../admission/index.ts';
import type { ListenerLimits } from './limits.ts';

/** Taken is what came of a body: whole; the beginning of one that is too long; or nothing, as there is no room for it. */
export type Taken =
  | { readonly kind: 'whole' | 'oversized'; readonly bytes: Buffer; release(): void }
  | { readonly kind: 'full' };

/** So much of the beginning of a body tells the uid of its review. */
const BEGINNING = 4096;

/** Intake reads bodies, and bounds how much of them is held at a time. */
export class Intake {
  readonly #limit: number;
  #held = 0;

  constructor({ bytes }: Pick<ListenerLimits, 'bytes'>) {
    this.#limit = bytes;
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#held;
  }

  /**
   * Reads one body and calls back once, unless the client goes away before its end. What is given back is held until it is
   * released.
   */
  take(request: IncomingMessage, done: (taken: Taken) => void): void {
    const chunks: Buffer[] = [];
    let length = 0;
    let over = false;
    const finish = (taken: Taken): void => {
      over = true;
      chunks.length = 0;
      done(taken);
    };
    const releaseOnce = (bytes: number): (() => void) => {
      let held = bytes;
      return () => {
        this.#held -= held;
        held = 0;
      };
    };
    request.on('data', (chunk: Buffer) => {
      if (over) return; // the rest of what was turned away
      if (this.#held + chunk.length > this.#limit) {
        this.#held -= length;
        finish({ kind: 'full' });
        return;
      }
      length += chunk.length;
      this.#held += chunk.length;
      chunks.push(chunk);
      if (length <= MAX_REVIEW_BYTES) return;
      const beginning = Buffer.concat(chunks, Math.min(length, BEGINNING));
      finish({ kind: 'oversized', bytes: beginning, release: releaseOnce(length) });
    });
    request.on('end', () => {
      if (over) return;
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length);
      finish({ kind: 'whole', bytes, release: releaseOnce(length) });
    });
    request.on('close', () => {
      if (over) return;
      over = true;
      this.#held -= length;
    });
    request.on('error', () => {}); // the client went away; `close` follows
  }
}
