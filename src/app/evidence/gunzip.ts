import { openByteStream } from '../../adapters/files/index.ts';

/** gunzip uncompresses the rows of a package. Throws what `openByteStream` throws. */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* await openByteStream(chunks);
}
