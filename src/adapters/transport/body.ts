import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** BodyRead is a body as text, or why there is none. */
export type BodyRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly why: string; readonly tooLong: boolean };

/**
 * readBody reads a body of at most `max` bytes, as it comes and again once unpacked; a longer one ends the reading. Throws what the
 * stream throws.
 */
export async function readBody(
  stream: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  max: number,
): Promise<BodyRead> {
  const tooLong = { kind: 'unreadable', why: `more than ${max} bytes`, tooLong: true } as const;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > max) return tooLong;
    chunks.push(chunk);
  }
  let bytes = Buffer.concat(chunks);
  const packed = (encoding ?? 'identity').trim().toLowerCase();
  if (packed !== 'identity' && packed !== '' && bytes.length > 0) {
    const decode = Object.hasOwn(DECODERS, packed) ? DECODERS[packed] : undefined;
    if (decode === undefined) return unreadable('packed in an unknown way');
    try {
      bytes = Buffer.from(await decode(bytes, { maxOutputLength: max }));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'ERR_BUFFER_TOO_LARGE' ? tooLong : unreadable('it cannot be unpacked');
    }
  }
  if (!isUtf8(bytes)) return unreadable('no UTF-8 text');
  return { kind: 'text', text: bytes.toString('utf8') };
}

function unreadable(why: string): BodyRead {
  return { kind: 'unreadable', why, tooLong: false };
}
