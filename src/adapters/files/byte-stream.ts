import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { isIpoError } from '../../base/index.ts';
import { compressionOf } from './compression.ts';
import { FileError, toFileError } from './file-error.ts';
import { openFile } from './read-chunks.ts';
import { zstdFrames } from './zstd-frames.ts';

/** Small enough that V8 keeps the texts made of it among what dies young; larger ones cost a third more memory. */
const CHUNK = 65_536;
/** With this many bytes waiting to be read, decompression pauses. */
const MUCH = 4_194_304;

/**
 * openByteStream opens a file (or a given stream, for stdin) as bytes, decompressed where it starts as gzip or
 * zstd, `chunkSize` of them at a time. `progress` is told the compressed bytes read so far and the file's size, where it has one. Throws
 * FileError: `unreadable` for the file, `damaged` or `truncated` for compressed data. What a given stream says of itself by an IpoError is
 * thrown as it is.
 */
export async function openByteStream(
  source: string | AsyncIterable<Uint8Array>,
  progress?: (read: number, size: number | null) => void,
  chunkSize = CHUNK,
): Promise<AsyncIterable<Uint8Array>> {
  let input: AsyncIterable<Uint8Array>;
  let size: number | null = null;
  if (typeof source === 'string') {
    try {
      const file = await openFile(source);
      size = file.size;
      input = file.chunks(chunkSize);
    } catch (error) {
      throw toFileError('unreadable', source, error);
    }
  } else input = source;
  const counted = countBytes(input, typeof source === 'string' ? source : '-', (read) =>
    progress?.(read, size),
  );
  const { first, rest } = await peek(counted, 4);
  const compression = compressionOf(first);
  if (compression === 'gzip') return decompressed(rest, createGunzip({ chunkSize }));
  return compression === 'zstd' ? decompressedFrames(rest, chunkSize) : rest;
}

async function* decompressedFrames(
  input: AsyncIterable<Uint8Array>,
  chunkSize: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const frame of zstdFrames(input))
    yield* decompressed(frame, createZstdDecompress({ chunkSize }));
}

/** openRawBytes opens a file (or a given stream, for stdin) as the bytes that it has. Throws FileError `unreadable`. */
export async function openRawBytes(
  source: string | AsyncIterable<Uint8Array>,
  progress: (read: number, size: number | null) => void = () => undefined,
): Promise<AsyncIterable<Uint8Array>> {
  if (typeof source !== 'string') return countBytes(source, '-', (read) => progress(read, null));
  try {
    const { size, chunks } = await openFile(source);
    return countBytes(chunks(CHUNK), source, (read) => progress(read, size));
  } catch (error) {
    throw toFileError('unreadable', source, error);
  }
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
    // A stream of ours says itself what is wrong: the file system has nothing to do with damaged bytes.
    throw isIpoError(error) ? error : toFileError('unreadable', name, error);
  }
}

/**
 * Decompresses ahead of the reader, so that the two work at once, until much is waiting to be read: a few bytes can stand
 * for gigabytes. What was decompressed is given before a fault is thrown, so that a reader who has enough with the good
 * part never meets it; a pipe would throw its buffers away. So the same bytes give the same good part and the same fault, however
 * fast they are read.
 */
async function* decompressed(
  input: AsyncIterable<Uint8Array>,
  through: Transform,
): AsyncGenerator<Uint8Array, void, undefined> {
  let ready: Uint8Array[] = [];
  let waiting = 0;
  let ended = false;
  let fault: unknown = null;
  let wakeReader = (): void => undefined;
  let wakeWriter = (): void => undefined;
  const take = (chunk: Uint8Array): void => {
    ready.push(chunk);
    waiting += chunk.length;
    if (waiting >= MUCH) through.pause();
    wakeReader();
  };
  const end = (error: unknown): void => {
    if (!ended && error !== null) {
      through.off('data', take);
      // While it paused, it kept some.
      for (let chunk; (chunk = through.read() as Uint8Array | null) !== null;) ready.push(chunk);
    }
    fault ??= error;
    ended = true;
    wakeReader();
    wakeWriter();
  };
  through.on('data', take);
  through.on('drain', () => wakeWriter());
  through.on('error', (error) => end(faultOf(error)));
  through.on('end', () => end(null));

  /** Chunks that are being decompressed. */
  let inside = 0;
  const isDone = (error?: Error | null): void => {
    if (error) return; // the event says it
    inside -= 1;
    if (inside === 0) wakeWriter();
  };
  const isIdle = (): boolean => ended || inside === 0;
  const write = async (): Promise<void> => {
    try {
      for await (const chunk of input) {
        if (ended) return;
        inside += 1;
        if (!through.write(chunk, isDone)) await new Promise<void>((resolve) => (wakeWriter = resolve));
      }
      through.end();
    } catch (error) {
      // What came before the fault goes first, with a fault of its own.
      while (!isIdle()) await new Promise<void>((resolve) => (wakeWriter = resolve));
      end(error);
    }
  };
  const written = write();
  try {
    for (;;) {
      const given = ready;
      if (given.length > 0) {
        ready = [];
        waiting = 0;
        through.resume();
        yield* given;
      } else if (ended) break;
      else await new Promise<void>((resolve) => (wakeReader = resolve));
    }
    if (fault !== null) throw fault;
  } finally {
    end(null);
    through.destroy();
    await written;
  }
}

function faultOf(error: NodeJS.ErrnoException): FileError {
  const ended = /unexpected end|Z_BUF_ERROR/i.test(`${error.code} ${error.message}`);
  return ended
    ? new FileError('truncated', null, 'the compressed data ends too early', undefined, error)
    : new FileError('damaged', null, 'the compressed data is damaged', undefined, error);
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
