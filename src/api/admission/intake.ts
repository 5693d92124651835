import type { IncomingMessage } from 'node:http';
import { MAX_REVIEW_BYTES } from '../../admission/index.ts';
import type { ListenerLimits } from './limits.ts';

/** Taken is what came of a body: whole; beginning and end of one that is too long; or nothing, as there is no room for it. */
export type Taken =
  | { readonly kind: 'whole' | 'oversized'; readonly bytes: Buffer; release(): void }
  | { readonly kind: 'full' };

/** So much of the beginning of a body tells whose review it is, and so much of its end whether it is a dry run. */
const BEGINNING = 65_536;
const END = 4096;
/**
 * So much of a body that is too long is read and let go: an answer before the end of what a client is still sending may be lost with
 * the connection, and a review without an answer is left to the cluster's failure policy.
 */
const READ_TO = 8 * MAX_REVIEW_BYTES;
/** What a piece of a body takes beside its bytes: a client may send one byte at a time. */
const PIECE = 256;

/** A body that is being read. */
interface Reading {
  readonly since: number;
  /** Ends it and lets go what it holds. */
  drop(): void;
}

/** Intake reads bodies, and bounds how much of them is held at a time. */
export class Intake {
  readonly #limit: number;
  readonly #slow: number;
  #held = 0;
  /** In the order in which they began. */
  readonly #reading = new Set<Reading>();

  constructor({ bytes, slowBody }: Pick<ListenerLimits, 'bytes' | 'slowBody'>) {
    this.#limit = bytes;
    this.#slow = slowBody;
  }

  /** Bytes that are held, with what holding them takes. */
  get held(): number {
    return this.#held;
  }

  /**
   * Reads one body and calls back once, unless the client goes away before its end. What is given back is held until it is
   * released.
   */
  take(request: IncomingMessage, done: (taken: Taken) => void): void {
    let chunks: Buffer[] = [];
    let length = 0;
    let held = 0;
    let over = false;
    /** Of a body that is too long. */
    let ends: { readonly beginning: Buffer; end: Buffer } | null = null;
    const release = (): void => {
      this.#held -= held;
      held = 0;
    };
    const end = (): void => {
      over = true;
      chunks = [];
      this.#reading.delete(reading);
    };
    const reading: Reading = {
      since: performance.now(),
      drop: () => {
        end();
        release();
        request.destroy();
      },
    };
    this.#reading.add(reading);
    request.on('data', (chunk: Buffer) => {
      if (over) return; // the rest of what was turned away
      if (ends !== null) {
        length += chunk.length;
        ends.end = Buffer.concat([ends.end, chunk]).subarray(-END);
        if (length > READ_TO) oversized();
        return;
      }
      const more = chunk.length + PIECE;
      if (this.#held + more > this.#limit && !this.#makeRoom(more, reading)) {
        end();
        release();
        done({ kind: 'full' });
        return;
      }
      length += chunk.length;
      held += more;
      this.#held += more;
      chunks.push(chunk);
      if (length <= MAX_REVIEW_BYTES) return;
      ends = { beginning: Buffer.concat(chunks, BEGINNING), end: Buffer.from(chunk.subarray(-END)) };
      chunks = [];
      release();
      held = BEGINNING + END;
      this.#held += held;
    });
    const oversized = (): void => {
      const bytes = Buffer.concat([ends?.beginning ?? Buffer.alloc(0), ends?.end ?? Buffer.alloc(0)]);
      end();
      done({ kind: 'oversized', bytes, release });
    };
    request.on('end', () => {
      if (over) return;
      if (ends !== null) {
        oversized();
        return;
      }
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length);
      end();
      done({ kind: 'whole', bytes, release });
    });
    request.on('close', () => {
      if (over) return;
      end();
      release();
    });
    request.on('error', () => {}); // the client went away; `close` follows
  }

  /** Ends what has been coming for too long, so that slow clients cannot keep the others out; tells whether there is room then. */
  #makeRoom(bytes: number, but: Reading): boolean {
    const now = performance.now();
    for (const reading of this.#reading) {
      if (this.#held + bytes <= this.#limit || now - reading.since <= this.#slow) break;
      if (reading !== but) reading.drop();
    }
    return this.#held + bytes <= this.#limit;
  }
}
