import { isUtf8 } from 'node:buffer';
import { compressionOf } from './compression.ts';
import { FileError, toFileError } from './file-error.ts';
import { openFile } from './read-chunks.ts';

/**
 * readBounded reads a text file of at most `max` bytes. A larger one is refused without reading it whole, so that
 * a device or a bomb costs nothing. Throws FileError.
 */
export async function readBounded(path: string, max: number): Promise<string> {
  let chunks: AsyncIterable<Uint8Array>;
  try {
    chunks = (await openFile(path)).chunks(65_536);
  } catch (error) {
    throw toFileError('unreadable', path, error);
  }
  return readStreamBounded(chunks, path, max);
}

/** readStreamBounded does the same for a stream such as stdin; `name` is what to call it. */
export async function readStreamBounded(
  chunks: AsyncIterable<Uint8Array | string>,
  name: string,
  max: number,
): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
      const packed = size === 0 ? compressionOf(bytes) : null;
      if (packed !== null)
        throw new FileError('not_text', name, `is ${packed} data, not text`, 'Give a file of text');
      size += bytes.length;
      if (size > max) {
        throw new FileError(
          'too_large',
          name,
          `is larger than ${max >= 1_048_576 ? `${max / 1_048_576} MiB` : `${max / 1024} KiB`}, the maximum for this file`,
        );
      }
      parts.push(bytes);
    }
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw toFileError('unreadable', name, error);
  }
  const whole = Buffer.concat(parts);
  if (!isUtf8(whole)) throw new FileError('not_text', name, 'is not UTF-8 text', 'Save it as UTF-8');
  const text = whole.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
