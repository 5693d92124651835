import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);

/** MAX_RATIO is how many bytes one packed byte may stand for; the catalogue packs to about an eighth. */
export const MAX_RATIO = 100;

/** Unpacked are bytes as they were before they were packed, or why they cannot be had. */
export type Unpacked = { readonly bytes: Buffer } | { readonly fault: 'damaged' | 'bomb' };

/**
 * unpack gives bytes as they are, or unpacked where they begin as gzip, whatever their name says; twice where a server packed a packed
 * file once more. At most `max` bytes, and a hundred times as many as came, are ever made of them.
 */
export async function unpack(packed: Buffer, max: number): Promise<Unpacked> {
  const most = Math.min(max, packed.length * MAX_RATIO);
  let bytes = packed;
  for (let layer = 0; layer < 2 && bytes[0] === 0x1f && bytes[1] === 0x8b; layer += 1) {
    try {
      bytes = await unzip(bytes, { maxOutputLength: most });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return { fault: code === 'ERR_BUFFER_TOO_LARGE' ? 'bomb' : 'damaged' };
    }
  }
  return { bytes };
}
