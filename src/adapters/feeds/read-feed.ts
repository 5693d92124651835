import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { FeedError } from './feed-error.ts';
import type { FeedWords } from './words.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a directory',
  ENOTDIR: 'is below a file',
  ELOOP: 'is a link without an end',
};

/**
 * readFeed reads a file of at most `max` bytes. A pipe or a device is not a file: it may never end. Throws FeedError `unreadable` or
 * `too_large`.
 */
export async function readFeed(
  path: string,
  max: number,
  { noun, setting }: Pick<FeedWords, 'noun' | 'setting'>,
): Promise<Buffer> {
  let handle: FileHandle | null = null;
  try {
    // Without waiting for the other end of a pipe.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile())
      throw Object.assign(new Error('no file'), { code: stat.isDirectory() ? 'EISDIR' : '' });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of handle.createReadStream({ highWaterMark: 1_048_576, autoClose: false })) {
      size += (part as Buffer).length;
      if (size > max) throw new FeedError('too_large', path, `${path} is larger than ${max / 1_048_576} MiB`);
      parts.push(part as Buffer);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof FeedError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    const what = SENTENCES[code] ?? (code === '' ? 'is not a file' : `cannot be read (${code})`);
    throw new FeedError(
      'unreadable',
      path,
      `${path} ${what}`,
      `Put the ${noun} there, or set ${setting} to where it is`,
      error,
    );
  } finally {
    await handle?.close();
  }
}
