import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inPieces } from '../../src/app/evidence/in-pieces.ts';

test('pieces that are written so many at once are the chunks that they were cut from, whatever their sizes', async () => {
  for (const sizes of [
    [],
    [1],
    [64],
    [63, 1, 65],
    [1000],
    [64, 64, 64, 64, 64],
    [5, 0, 300, 7, 129, 64, 1],
  ]) {
    const chunks = sizes.map((size) => randomBytes(size));
    async function* source() {
      yield* chunks;
    }
    const written: Uint8Array[] = [];
    let waiting: Uint8Array[] = [];
    const flush = () => {
      written.push(...waiting.map((piece) => Uint8Array.from(piece)));
      waiting = [];
    };
    for await (const piece of inPieces(source(), 64, 3)) if (waiting.push(piece) === 3) flush();
    flush();
    assert.deepEqual(Buffer.concat(written), Buffer.concat(chunks));
    assert.ok(written.every(({ length }, i) => length === 64 || (i === written.length - 1 && length > 0)));
  }
});
