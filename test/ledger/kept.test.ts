import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKept, parseVkey, verifyExport, type SignedCheckpoint } from '../../src/ledger/index.ts';
import { growing, makeSigner } from './grown.ts';
import { MemoryTree } from './memory-tree.ts';
import { bytesOf, sealedExport } from './sealed.ts';

test('kept checkpoints that mail or an editor gave other line ends are compared as those that were signed', async () => {
  const signer = makeSigner();
  const tree = new MemoryTree();
  tree.grow(40);
  const first = (await growing(tree, signer).checkpoint()) as SignedCheckpoint;
  tree.grow(60);
  const newest = (await growing(tree, signer).checkpoint()) as SignedCheckpoint;
  const text = `${first.note}${newest.note}`.replaceAll('\n', '\r\n');
  const kept = parseKept(text, 'kept.txt');
  assert.deepEqual(
    kept.map(({ note }) => note),
    [first.note, newest.note],
  );
  const lines = await sealedExport(tree, tree.all, newest, signer);
  const keys = [parseVkey(signer.vkey)];
  assert.equal((await verifyExport(bytesOf(lines), 'x', { keys, kept })).holds, true);
  const changed = parseKept(text.replace('\r\n40\r\n', '\r\n41\r\n'), 'kept.txt');
  assert.equal((await verifyExport(bytesOf(lines), 'x', { keys, kept: changed })).holds, false);
  assert.throws(() => parseKept(text.replace('\r\n', '\r'), 'kept.txt'), /control character|not a valid/);
});
