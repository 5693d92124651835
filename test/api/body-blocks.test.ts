import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { joined, readBlocks } from '../../src/api/body-blocks.ts';
import { runs } from '../runs.ts';

const LIMIT = 1_048_576;
const ofPieces = (pieces: readonly Buffer[]): Readable => Readable.from(pieces, { objectMode: false });

test('a body of any pieces is read whole, in blocks that have their memory to themselves', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 400_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.boolean(), async (lengths, known) => {
      const pieces = lengths.map((size, i) => Buffer.alloc(size, i + 1));
      const whole = Buffer.concat(pieces);
      const blocks = await readBlocks(ofPieces(pieces), known ? whole.length : null, Infinity);
      assert.ok(joined(blocks).equals(whole));
      assert.ok(blocks.every(({ byteOffset }) => byteOffset === 0));
      const memory = blocks.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
      if (known) assert.deepEqual([blocks.length, memory], [Math.min(1, lengths.length), whole.length]);
      else assert.equal(memory, 262_144 * Math.ceil(whole.length / 262_144));
    }),
    { numRuns: runs(100) },
  );
});

test('a body of single bytes takes no more memory than it has', async () => {
  const blocks = await readBlocks(
    ofPieces(Array.from({ length: 10_000 }, () => Buffer.from('x'))),
    null,
    LIMIT,
  );
  assert.equal(blocks.length, 1);
});

test('a body beyond the limit is refused as soon as it is, and one that says so before it is read', async () => {
  const endless = new PassThrough();
  const refused = readBlocks(endless, null, LIMIT);
  endless.write(Buffer.alloc(LIMIT));
  endless.write(Buffer.alloc(1));
  await assert.rejects(refused, { code: 'too_large' });
  const unread = new PassThrough();
  await assert.rejects(readBlocks(unread, LIMIT + 1, LIMIT), { code: 'too_large' });
  assert.equal(unread.listenerCount('data'), 0);
  assert.equal((await readBlocks(ofPieces([Buffer.alloc(LIMIT)]), null, LIMIT)).length, 4);
});

test('a body that is shorter than it says, or breaks off, is none', async () => {
  await assert.rejects(readBlocks(ofPieces([Buffer.alloc(3)]), 4, LIMIT), { code: 'invalid_request' });
  await assert.rejects(readBlocks(ofPieces([Buffer.alloc(3)]), 0, LIMIT), { code: 'invalid_request' });
  const broken = new PassThrough();
  const read = readBlocks(broken, null, LIMIT);
  broken.destroy(new Error('aborted'));
  await assert.rejects(read, { message: 'aborted' });
});
