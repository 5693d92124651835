import type { Readable } from 'node:stream';
import { IpoError } from '../base/index.ts';

/**
 * Bytes of a block where nobody said how long the body is. Bodies come in pieces of any size, and a small one that were kept by itself
 * would cost more than it holds.
 */
const BLOCK = 262_144;

/**
 * readBlocks reads a body into blocks that have their memory to themselves, so that a long one can be handed to a thread as it is: joining
 * it at its end would hold up everyone else whom the event loop serves. One of a known length is one block, whose memory is taken as it is
 * filled. Throws `too_large` beyond `limit`, and what the stream meets.
 */
export function readBlocks(body: Readable, length: number | null, limit: number): Promise<Uint8Array[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array[]>();
  const blocks: Uint8Array[] = [];
  let last: Buffer<ArrayBuffer> = Buffer.alloc(0);
  let [used, received] = [0, 0];
  const take = (piece: Buffer): void => {
    received += piece.length;
    if (received > limit) return end(tooLarge());
    for (let from = 0; from < piece.length;) {
      if (used === last.length) {
        if (used > 0) blocks.push(last);
        last = Buffer.allocUnsafeSlow(used === 0 && length !== null && length > 0 ? length : BLOCK);
        used = 0;
      }
      const copied = piece.copy(last, used, from);
      used += copied;
      from += copied;
    }
  };
  const end = (error?: Error): void => {
    body.off('data', take).off('end', end).off('error', end);
    if (error !== undefined) return reject(error);
    if (length !== null && received !== length)
      return reject(new IpoError('invalid_request', 'the body is not as long as Content-Length says'));
    if (used > 0) blocks.push(used === last.length ? last : last.subarray(0, used));
    resolve(blocks);
  };
  if (length !== null && length > limit) reject(tooLarge());
  else body.on('data', take).on('end', end).on('error', end).resume();
  return promise;
}

function tooLarge(): IpoError {
  return new IpoError('too_large', 'the body is larger than this call takes');
}

/** joined gives the body that was read into blocks. */
export function joined(blocks: readonly Uint8Array[]): Buffer {
  const [first, ...others] = blocks;
  if (first === undefined || others.length > 0) return Buffer.concat(blocks);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}
