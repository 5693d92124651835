import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toFileError } from './file-error.ts';

/**
 * Bytes that are read at once. V8 collects buffers with the small objects beside them: of larger ones 64 MB lie about, which a long package takes
 * and a short one does not.
 */
const READ = 16_384;

/** ScratchFiles keeps bytes in files of a directory of its own. */
export interface ScratchFiles {
  open(name: string): Promise<{
    write(bytes: Uint8Array): Promise<void>;
    end(): Promise<() => AsyncIterable<Uint8Array>>;
  }>;
}

/**
 * withScratch gives an act a place for bytes that are too many for memory; they are gone afterwards. `parent` is the directory in which
 * it is made; that of the system unless given. Throws FileError `unwritable`.
 */
export async function withScratch<T>(
  act: (scratch: ScratchFiles) => Promise<T>,
  parent: string = tmpdir(),
): Promise<T> {
  const directory = await mkdtemp(join(parent, 'ipo-scratch-')).catch((error: unknown) => {
    throw toFileError('unwritable', parent, error);
  });
  let count = 0;
  const scratch: ScratchFiles = {
    open: async () => {
      const path = join(directory, String((count += 1)));
      const handle = await open(path, 'wx', 0o600);
      return {
        write: async (bytes) => {
          try {
            await handle.appendFile(bytes);
          } catch (error) {
            throw toFileError('unwritable', directory, error);
          }
        },
        end: async () => {
          await handle.close();
          return () => createReadStream(path, { highWaterMark: READ });
        },
      };
    },
  };
  try {
    return await act(scratch);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
