import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { IpoError } from '../../base/index.ts';
import { toFileError } from './file-error.ts';

const CHUNK = 262_144;

/** What stands at the start of compressed data; the name of a file may say otherwise. */
const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/**
 * openByteStream opens a file (or a given stream, for stdin) as bytes, decompressed where it starts as gzip or
 * zstd. `progress` is told the compressed bytes read so far and the file's size, where it has one. Throws
 * FileError when the file cannot be opened; a fault in compressed data is an IpoError `damaged_stream`.
 */
export async function openByteStream(
  source: string | AsyncIterable<Uint8Array>,
  progress?: (read: number, size: number | null) => void,
): Promise<AsyncIterable<Uint8Array>> {
  let input: AsyncIterable<Uint8Array>;
  let size: number | null = null;
  if (typeof source === 'string') {
    try {
      const handle = await open(source, 'r');
      const stat = await handle.stat();
      if (stat.isDirectory()) {
        await handle.close();
        throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
      }
      if (stat.isFile()) size = stat.size;
      input = handle.createReadStream({ highWaterMark: CHUNK });
    } catch (error) {
      throw toFileError('unreadable', source, error);
    }
  } else input = source;
  const counted = countBytes(input, typeof source === 'string' ? source : '-', (read) =>
    progress?.(read, size),
  );
  const { first, rest } = await peek(counted, 4);
  const decompress = startsWith(first, GZIP)
    ? createGunzip({ chunkSize: CHUNK })
    : startsWith(first, ZSTD)
      ? createZstdDecompress({ chunkSize: CHUNK })
      : null;
  return decompress === null ? rest : decompressed(rest, decompress);
}

async function* countBytes(
  input: AsyncIterable<Uint8Array>,
  name: string,
  report: (read: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0;
  try {
    for await (const chunk of input) {
      read += chunk.length;
      report(read);
      yield chunk;
    }
  } catch (error) {
    throw toFileError('unreadable', name, error);
  }
}

async function* decompressed(
  input: AsyncIterable<Uint8Array>,
  through: NodeJS.ReadWriteStream & { destroy(): void },
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = Readable.from(input, { objectMode: false });
  source.on('error', (error) => (through as unknown as Readable).destroy(error));
  source.pipe(through);
  try {
    for await (const chunk of through as unknown as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    if (error instanceof IpoError) throw error;
    const ended = /unexpected end|Z_BUF_ERROR/i.test(
      `${(error as NodeJS.ErrnoException).code} ${(error as Error).message}`,
    );
    throw new IpoError(
      'damaged_stream',
      ended ? 'the compressed data ends too early' : 'the compressed data is damaged',
      { cause: error },
    );
  } finally {
    source.destroy();
    through.destroy();
  }
}

async function peek(
  input: AsyncGenerator<Uint8Array, void, undefined>,
  count: number,
): Promise<{ first: Uint8Array; rest: AsyncIterable<Uint8Array> }> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < count) {
    const next = await input.next();
    if (next.done) break;
    held.push(next.value);
    bytes += next.value.length;
  }
  const first = Buffer.concat(held);
  return { first, rest: chain(first, input) };
}

async function* chain(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (first.length > 0) yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte);
}
