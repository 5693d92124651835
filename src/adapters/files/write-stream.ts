import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { isIpoError } from '../../base/index.ts';
import { toFileError } from './file-error.ts';
import { followPath } from './follow-path.ts';
import { writeUncached } from './uncached-file.ts';

/**
 * writeStreamWhole writes a file of any length that is either there in full or not at all: a temporary file beside it, synced, then
 * renamed. A name that ends in `.gz` or `.zst` is compressed. What the source throws is thrown as it is; the rest is FileError
 * `unwritable`. A device or a pipe (`/dev/stdout`) is written as it is. `asIs` leaves bytes as they are whatever the name, and makes the
 * file readable only by its owner.
 */
export async function writeStreamWhole(
  path: string,
  chunks: AsyncIterable<string | Uint8Array>,
  { asIs = false }: { readonly asIs?: boolean } = {},
): Promise<void> {
  let temporary: string | null = null;
  try {
    const { target, special } = await followPath(path);
    const source = Readable.from(chunks, { objectMode: false });
    const through = asIs ? null : compressorOf(path);
    if (special) {
      const out = createWriteStream(target, { flags: 'a' });
      await (through === null ? pipeline(source, out) : pipeline(source, through, out));
      return;
    }
    const file = join(dirname(target), `.${randomBytes(6).toString('hex')}.ipo-tmp`);
    temporary = file;
    const write = (bytes: AsyncIterable<Uint8Array>): Promise<void> =>
      writeUncached(file, bytes, asIs ? 0o600 : 0o666);
    await (through === null ? pipeline(source, write) : pipeline(source, through, write));
    await rename(file, target);
  } catch (error) {
    if (temporary !== null) await rm(temporary, { force: true }).catch(() => undefined); // the first fault is the one to tell
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (isIpoError(error) || code === undefined || syscall === undefined) throw error;
    throw toFileError('unwritable', path, error);
  }
}

function compressorOf(path: string): Transform | null {
  if (path.endsWith('.gz')) return createGzip();
  // With a checksum, damage of the file shows by itself.
  if (path.endsWith('.zst')) return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  return null;
}
