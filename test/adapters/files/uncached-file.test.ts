import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { writeUncached } from '../../../src/adapters/files/uncached-file.ts';

const PIECE = 131_072;
const folders = [tmpdir(), ...(existsSync('/dev/shm') ? ['/dev/shm'] : [])].map((place) =>
  mkdtempSync(join(place, 'ipo-uncached-')),
);
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

for (const folder of folders)
  describe(`a file in ${folder.replace(/-[^-]*$/, '')}`, () => {
    for (const length of [0, 1, 511, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 4_097, 1_000_003])
      for (const size of [1_000, 65_536, PIECE, 400_000])
        test(`holds ${length} bytes that came ${size} at a time`, async () => {
          const bytes = randomBytes(length);
          const path = join(folder, `${length}-${size}`);
          await writeUncached(path, chunksOf(bytes, size), 0o600);
          assert.equal(digest(readFileSync(path)), digest(bytes));
          assert.equal(statSync(path).mode & 0o777, 0o600);
        });

    test('is not written over one that is there', async () => {
      await assert.rejects(writeUncached(join(folder, '1-1000'), chunksOf(randomBytes(1), 1), 0o600), {
        code: 'EEXIST',
      });
    });

    test('ends with what the source throws', async () => {
      const failing = async function* (): AsyncGenerator<Buffer, void, undefined> {
        yield* chunksOf(randomBytes(3 * PIECE), 70_000);
        throw new Error('the source');
      };
      await assert.rejects(writeUncached(join(folder, 'failing'), failing(), 0o600), {
        message: 'the source',
      });
    });
  });

/** Whether the file system of a folder takes writes past the cache at all. */
async function takesDirect(folder: string): Promise<boolean> {
  const flag = constants.O_DIRECT as number | undefined;
  if (flag === undefined || !existsSync('/proc/self/fdinfo')) return false;
  try {
    await (await open(join(folder, 'direct'), constants.O_WRONLY | constants.O_CREAT | flag)).close();
    return true;
  } catch {
    return false;
  }
}

test('a large file is written past the page cache', async (t) => {
  const [folder = ''] = folders;
  if (!(await takesDirect(folder))) return t.skip('the file system of temporary files has no O_DIRECT');
  const path = join(folder, 'large');
  const seen: boolean[] = [];
  const watched = async function* (): AsyncGenerator<Buffer, void, undefined> {
    for (let piece = 0; piece < 4; piece += 1) {
      yield randomBytes(PIECE);
      seen.push(isOpenDirect(path));
    }
  };
  await writeUncached(path, watched(), 0o600);
  assert.deepEqual(seen, [true, true, true, true]);
  assert.equal(isOpenDirect(path), false);
});

/** Whether this process has a file open past the cache. */
function isOpenDirect(path: string): boolean {
  return readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) return false;
      const flags =
        /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0';
      return (Number.parseInt(flags, 8) & (constants.O_DIRECT ?? 0)) !== 0;
    } catch {
      return false; // it was closed meanwhile
    }
  });
}
