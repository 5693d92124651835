import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isIpoError } from '../../src/base/index.ts';
import { openCheckpoint, signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { coverOf, foldRight, hashLeaf, hashNode, type Hash, type Range } from '../../src/ledger/merkle.ts';
import { toSigner } from '../../src/ledger/note.ts';
import { inclusionRanges } from '../../src/ledger/proof.ts';
import { parseTlogProof, verifyTlogProof, writeTlogProof } from '../../src/ledger/tlog-proof.ts';
import { runs } from '../runs.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const signer = toSigner(
  'ipo.example/ledger/1',
  privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
);
const SIZE = 21;
const INDEX = 13;
const leaves = Array.from({ length: SIZE }, (_, i) => hashLeaf(`row ${i}`));

function hashOf(range: Range): Hash {
  const complete = (level: number, index: number): Hash =>
    level === 0
      ? (leaves[index] as Hash)
      : hashNode(complete(level - 1, index * 2), complete(level - 1, index * 2 + 1));
  return foldRight(coverOf(range).map(({ level, index }) => complete(level, index)));
}

const note = signCheckpoint(
  { origin: signer.name, size: SIZE, root: hashOf({ start: 0, end: SIZE }), extensions: [] },
  signer,
);
const whole = {
  index: INDEX,
  proof: inclusionRanges(INDEX, SIZE).map(hashOf),
  note,
  extra: Buffer.from('row 13'),
};
const leaf = leaves[INDEX] as Hash;

function codeOf(text: string): string {
  try {
    const proof = parseTlogProof(text);
    openCheckpoint(proof.note, [signer]);
    verifyTlogProof(proof, leaf);
  } catch (error) {
    if (isIpoError(error)) return error.code;
    throw error;
  }
  return 'none';
}

suite('tlog-proof', () => {
  test('is written line by line as the specification says, and read back', () => {
    const lines = writeTlogProof(whole).split('\n');
    assert.equal(lines[0], 'c2sp.org/tlog-proof@v1');
    assert.equal(lines[1], `extra ${Buffer.from('row 13').toString('base64')}`);
    assert.equal(lines[2], 'index 13');
    assert.equal(lines[3 + whole.proof.length], '');
    assert.equal(lines.slice(4 + whole.proof.length).join('\n'), note);
    for (const given of [whole, { ...whole, extra: null }])
      assert.deepEqual(parseTlogProof(writeTlogProof(given)), given);
    assert.equal(codeOf(writeTlogProof(whole)), 'none');
    assert.equal(verifyTlogProof(whole, leaf).size, SIZE);
  });

  test('of the one row of a ledger has no hashes', () => {
    const only = signCheckpoint({ origin: signer.name, size: 1, root: leaf, extensions: [] }, signer);
    const text = writeTlogProof({ index: 0, proof: [], note: only, extra: null });
    assert.ok(text.startsWith('c2sp.org/tlog-proof@v1\nindex 0\n\nipo.example'));
    assert.equal(codeOf(text), 'none');
  });

  test('is refused where a line is none', () => {
    const good = writeTlogProof(whole);
    for (const [from, to] of [
      ['@v1', '@v2'],
      ['extra ', 'extra'],
      ['extra c', 'extra !'],
      ['index 13', 'index 013'],
      ['index 13', 'index -1'],
      ['index 13', 'index 9007199254740993'],
      ['index 13\n', ''],
      ['\n\n', '\n'],
      ['\n\n', '\nAAAA\n\n'],
      ['\n', '\r\n'],
    ] as const)
      assert.equal(codeOf(good.replace(from, to)), 'format', JSON.stringify(to));
    const long = Array.from({ length: 65 }, () => leaf);
    assert.equal(codeOf(writeTlogProof({ ...whole, proof: long })), 'format');
  });

  test('with any character altered proves nothing, but for the extra data, which does not belong to it', () => {
    const good = writeTlogProof({ ...whole, extra: null });
    fc.assert(
      fc.property(
        fc.nat({ max: good.length - 1 }),
        fc.constantFrom(...'0Aa+/=\n \u2014'),
        (at, character) => {
          const altered = good.slice(0, at) + character + good.slice(at + 1);
          if (altered !== good) assert.notEqual(codeOf(altered), 'none', JSON.stringify(altered));
        },
      ),
      { numRuns: runs(1000) },
    );
    assert.equal(codeOf(good.replace('index 13', 'index 12')), 'integrity');
  });
});
