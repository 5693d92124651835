import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { constants, zstdCompressSync } from 'node:zlib';
import { openByteStream } from '../../../src/adapters/files/index.ts';
import { isIpoError } from '../../../src/base/index.ts';

/** A text that is packed to a part, in several blocks. */
const TEXT = Buffer.from(
  Array.from({ length: 12_000 }, (_, n) => createHash('sha256').update(String(n)).digest('hex')).join('\n'),
);
const CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
/** What pzstd and others put between frames: 3 bytes that say nothing. */
const SKIPPED = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

async function read(bytes: Uint8Array, step: number): Promise<readonly [Buffer, string]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  }
  const got: Uint8Array[] = [];
  try {
    for await (const chunk of await openByteStream(chunks())) got.push(Uint8Array.from(chunk));
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return [Buffer.concat(got), error.code];
  }
  return [Buffer.concat(got), 'no fault'];
}

test('all frames of a zstd file are read, however its bytes come', async () => {
  const parts = [
    TEXT.subarray(0, 300_000),
    Buffer.alloc(0),
    Buffer.alloc(500_000, 97),
    TEXT.subarray(300_000),
  ];
  const [first, ...others] = parts.map((part, i) => zstdCompressSync(part, i % 2 === 0 ? CHECKSUM : {}));
  assert.ok(first !== undefined);
  const packed = Buffer.concat([first, SKIPPED, ...others, SKIPPED]);
  for (const step of [61, 1000, 65_536, packed.length]) {
    const [text, fault] = await read(packed, step);
    assert.equal(fault, 'no fault', `${step} bytes at a time`);
    assert.ok(text.equals(Buffer.concat(parts)), `${step} bytes at a time`);
  }
});

test('what stands behind a frame and is none, and a second one that is cut off, are not passed over', async () => {
  const frame = zstdCompressSync(TEXT);
  for (const [behind, fault] of [
    [Buffer.from('{"type":"row"}\n'), 'damaged'],
    [Buffer.alloc(1000), 'damaged'],
    [frame.subarray(0, 20_000), 'truncated'],
  ] as const)
    for (const step of [1000, 1_000_000]) {
      const [text, found] = await read(Buffer.concat([frame, behind]), step);
      assert.equal(found, fault);
      assert.ok(text.subarray(0, TEXT.length).equals(TEXT), 'the frame before is given');
    }
});
