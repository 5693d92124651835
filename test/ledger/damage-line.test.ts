import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openByteStream } from '../../src/adapters/files/byte-stream.ts';
import { LedgerError, readExport, verifyExport, type SignedCheckpoint } from '../../src/ledger/index.ts';
import { growing, makeSigner } from './grown.ts';
import { MemoryTree } from './memory-tree.ts';
import { sealedExport } from './sealed.ts';

const signer = makeSigner();
const tree = new MemoryTree();
tree.grow(500);
const checkpoint = (await growing(tree, signer).checkpoint()) as SignedCheckpoint;
/** The rows 301 to 500: the header is line 1, the checkpoint line 202. */
const lines = await sealedExport(tree, tree.all.slice(300), checkpoint, signer);
const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
const packed = gzipSync(whole);

/** The first lines, and some bytes behind them. */
const with41 = (rest: Uint8Array) =>
  Buffer.concat([Buffer.from(lines.slice(0, 41).join('\n')), Buffer.from('\n'), rest]);

/** The line at which a replay stops. */
async function lineOfReplay(bytes: Uint8Array): Promise<number | undefined> {
  try {
    const opened = await readExport(await openByteStream(Readable.from([bytes])), 'x');
    for await (const batch of opened.rows()) void batch;
  } catch (error) {
    assert.ok(error instanceof LedgerError, String(error));
    return error.place?.line;
  }
  return assert.fail('the export was accepted');
}

for (const [name, bytes, line] of [
  ['a line that is too long', with41(Buffer.alloc(17 * 1024 * 1024, 120)), 42],
  ['bytes that are no text', with41(Buffer.from([0xff, 10])), 42],
  ['a line that is cut off', with41(Buffer.from((lines[41] ?? '').slice(0, 30))), 42],
  ['a checkpoint that is cut off', whole.subarray(0, whole.length - 10), 202],
  ['compressed bytes that are cut off', packed.subarray(0, packed.length >> 1), null],
  ['compressed bytes that end in others', Buffer.concat([packed.subarray(0, -400), Buffer.alloc(400)]), null],
] as const)
  test(`${name}: verification and replay name the same line`, async () => {
    const replayed = await lineOfReplay(bytes);
    if (line !== null) assert.equal(replayed, line);
    const found = await verifyExport(await openByteStream(Readable.from([bytes])), 'x', {
      keys: [],
      kept: [],
    });
    const said = found.checks.find(({ check }) => check === 'rows')?.text ?? '';
    assert.match(said, new RegExp(`\\bline ${replayed}[,:]`));
    assert.doesNotMatch(said, /row 300 belongs/, 'the export begins with row 301');
  });
