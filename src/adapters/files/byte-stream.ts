import { open } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { IpoError } from '../../base/index.ts';
import { toFileError } from './file-error.ts';

/** Small enough that V8 keeps the texts made of it among what dies young; larger ones cost a third more memory. */
const CHUNK = 65_536;
/** So much compressed data is taken at a time: what it can grow to is bounded before the reader has had its turn. */
const SLICE = 16_384;
/** With so many bytes waiting to be read, decompression pauses. */
const MUCH = 4_194_304;

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

/**
 * Decompresses slice by slice. Everything that was decompressed is given before a fault in the data is thrown, so that a
 * reader who has enough with the good part never meets it; a pipe would throw its buffers away. While much is waiting to
 * be read, decompression pauses: a few bytes can stand for gigabytes.
 */
async function* decompressed(
  input: AsyncIterable<Uint8Array>,
  through: Transform,
): AsyncGenerator<Uint8Array, void, undefined> {
  let ready: Uint8Array[] = [];
  let waiting = 0;
  let settled = true;
  let fault: Error | null = null;
  let wake = (): void => undefined;
  through.on('data', (chunk: Uint8Array) => {
    ready.push(chunk);
    waiting += chunk.length;
    if (waiting < MUCH) return;
    through.pause();
    wake();
  });
  const settle = (): void => {
    settled = true;
    wake();
  };
  through.on('error', (error) => {
    fault = error;
    settle();
  });
  through.on('end', settle);

  /** Gives what comes out until the transform has taken what it was given. */
  async function* taken(): AsyncGenerator<Uint8Array, void, undefined> {
    do {
      if (!settled && waiting < MUCH) await new Promise<void>((resolve) => (wake = resolve));
      const given = ready;
      ready = [];
      waiting = 0;
      yield* given;
      through.resume();
    } while (!settled || ready.length > 0);
    if (fault !== null) throw faultOf(fault);
  }

  try {
    for await (const chunk of input) {
      for (let at = 0; at < chunk.length; at += SLICE) {
        settled = false;
        through.write(chunk.subarray(at, at + SLICE), settle);
        yield* taken();
      }
    }
    settled = false;
    through.end();
    yield* taken();
  } finally {
    through.destroy();
  }
}

function faultOf(error: NodeJS.ErrnoException): IpoError {
  const ended = /unexpected end|Z_BUF_ERROR/i.test(`${error.code} ${error.message}`);
  return new IpoError(
    'damaged_stream',
    ended ? 'the compressed data ends too early' : 'the compressed data is damaged',
    { cause: error },
  );
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
