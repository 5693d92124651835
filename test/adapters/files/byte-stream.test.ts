import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openByteStream } from '../../../src/adapters/files/index.ts';
import { IpoError, isIpoError } from '../../../src/base/index.ts';

/** A text that is packed to a third: 12 MiB, three times what is decompressed ahead. */
const TEXT = Buffer.alloc(12 * 1024 * 1024);
for (let at = 0, n = 0; at < TEXT.length; at += 64, n += 1)
  TEXT.write(
    createHash('sha256')
      .update(String(n % 100_000))
      .digest('hex'),
    at,
    'latin1',
  );
const PACKED = gzipSync(TEXT, { level: 1 });

async function* chunksOf(bytes: Buffer, fault: Error | null = null): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 262_144) yield bytes.subarray(at, at + 262_144);
  if (fault !== null) throw fault;
}

/** How many bytes came before the fault, and which it was. */
async function readOf(
  chunks: AsyncIterable<Uint8Array>,
  isSlow: boolean,
): Promise<readonly [number, string]> {
  let read = 0;
  try {
    for await (const chunk of await openByteStream(chunks)) {
      read += chunk.length;
      // Long enough for much to wait.
      if (isSlow && read % (64 * 65_536) === 0) for (let i = 0; i < 50; i += 1) await turn();
    }
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return [read, `${error.code} ${error.message}`];
  }
  return [read, 'no fault'];
}

test('what a stream says of itself is thrown as it is, once all that came before it was given', async () => {
  const fault = new IpoError('damaged', 'p.zip: the rows are not what the archive says');
  for (const isSlow of [false, true])
    for (const cut of [0, 9])
      assert.deepEqual(
        await readOf(chunksOf(PACKED.subarray(0, PACKED.length - cut), fault), isSlow),
        [TEXT.length, 'damaged p.zip: the rows are not what the archive says'],
        `${isSlow ? 'slow' : 'fast'}, ${cut} bytes less`,
      );
  const broken = Object.assign(new Error('bad'), { code: 'EIO' });
  assert.match((await readOf(chunksOf(PACKED, broken), false))[1], /^unreadable -: cannot be read \(EIO\)$/);
});

test('damage gives the same good part and the same fault, however fast the bytes are read', async () => {
  for (const part of [0.3, 0.6, 0.9, 0.999]) {
    const damaged = Buffer.from(PACKED);
    const place = Math.floor(part * damaged.length);
    damaged.fill(0xff, place, place + 40);
    const later = new IpoError('damaged', 'the archive says so too');
    const fast = await readOf(chunksOf(damaged, later), false);
    assert.match(fast[1], /^damaged the compressed data is damaged$/);
    assert.deepEqual(await readOf(chunksOf(damaged, later), true), fast, `at ${part}`);
  }
});
