import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { CompactRange, toCompactRange } from '../../src/ledger/compact-range.ts';
import {
  coverOf,
  EMPTY_ROOT,
  foldRight,
  fromBase64,
  hashBytes,
  hashLeaf,
  hashNode,
  toBase64,
  toHash,
  type Hash,
  type Range,
} from '../../src/ledger/merkle.ts';
import {
  consistencyRanges,
  inclusionRanges,
  subtreeConsistencyRanges,
  subtreeInclusionRanges,
  verifyConsistency,
  verifyInclusion,
  verifySubtreeConsistency,
  verifySubtreeInclusion,
} from '../../src/ledger/proof.ts';
import { runs, TORTURE } from '../runs.ts';

const MOST = TORTURE ? 512 : 256;
const leaves = Array.from({ length: MOST }, (_, i) => hashLeaf(`entry ${i}`));

/** The Merkle tree hash as RFC 6962, section 2.1, writes it down; remembered, since the proofs ask for the same ranges. */
const known = new Map<number, Hash>();
function treeHash({ start, end }: Range): Hash {
  if (end - start === 0) return EMPTY_ROOT;
  if (end - start === 1) return leaves[start] as Hash;
  const key = start * 1024 + end;
  let hash = known.get(key);
  if (hash === undefined) {
    let k = 1;
    while (k * 2 < end - start) k *= 2;
    hash = hashNode(treeHash({ start, end: start + k }), treeHash({ start: start + k, end }));
    known.set(key, hash);
  }
  return hash;
}
const rootOf = (size: number): Hash => treeHash({ start: 0, end: size });

/** The same text with one bit turned over. */
function flipped(hash: Hash, bit: number): Hash {
  const bytes = hashBytes(hash);
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  return toHash(bytes);
}

test('leaves and nodes are hashed as RFC 6962 says', () => {
  const sha = (...parts: (string | Buffer)[]): Buffer =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
  const [a, b] = [sha(Buffer.of(0), 'a'), sha(Buffer.of(0), 'ö')];
  assert.deepEqual(hashBytes(hashLeaf('a')), a);
  assert.deepEqual(hashBytes(hashLeaf('ö')), b);
  assert.deepEqual(hashBytes(hashLeaf(Buffer.from('ö'))), b);
  assert.deepEqual(hashBytes(hashNode(toHash(a), toHash(b))), sha(Buffer.of(1), a, b));
  assert.deepEqual(hashBytes(EMPTY_ROOT), sha());
});

test('base64 has one spelling', () => {
  const hash = leaves[3] as Hash;
  const text = toBase64(hash);
  assert.equal(fromBase64(text), hash);
  for (const other of [
    text.slice(0, 43),
    `${text}=`,
    ` ${text}`,
    text.replace('=', '-'),
    'A'.repeat(42) + 'B=',
    'A'.repeat(44),
  ])
    assert.equal(fromBase64(other), null, other);
});

test(`every inclusion proof for all sizes to ${MOST} holds, for its own leaf and no other`, () => {
  for (let size = 1; size <= MOST; size += 1) {
    const root = rootOf(size);
    for (let index = 0; index < size; index += 1) {
      const proof = inclusionRanges(index, size).map(treeHash);
      const leaf = leaves[index] as Hash;
      const at = `leaf ${index} of ${size}`;
      assert.equal(verifyInclusion(index, size, leaf, proof, root), null, at);
      const other = (index * 7 + size) % size;
      if (other !== index && size < 64)
        assert.notEqual(verifyInclusion(other, size, leaf, proof, root), null, `${at} passed as ${other}`);
    }
  }
});

test(`every consistency proof for all sizes to ${MOST} holds`, () => {
  for (let size = 1; size <= MOST; size += 1) {
    for (let before = 1; before <= size; before += 1) {
      const proof = consistencyRanges(before, size).map(treeHash);
      const fault = verifyConsistency(before, size, proof, rootOf(before), rootOf(size));
      assert.equal(fault, null, `${before} to ${size}`);
    }
  }
});

/** A size, a place in it, and which bit of which part to turn over. */
const place = fc
  .record({
    size: fc.integer({ min: 1, max: MOST }),
    at: fc.nat(),
    part: fc.nat(),
    bit: fc.integer({ min: 0, max: 255 }),
  })
  .map((value) => ({ ...value, at: value.at % value.size }));

test('an inclusion proof with any bit altered is refused', () => {
  fc.assert(
    fc.property(place, ({ size, at, part, bit }) => {
      const proof = inclusionRanges(at, size).map(treeHash);
      const all = [leaves[at] as Hash, rootOf(size), ...proof];
      all[part % all.length] = flipped(all[part % all.length] as Hash, bit);
      const [leaf, root, ...altered] = all as [Hash, Hash, ...Hash[]];
      assert.notEqual(verifyInclusion(at, size, leaf, altered, root), null);
    }),
    { numRuns: runs(3000) },
  );
});

test('a consistency proof with any bit altered, or of other sizes, is refused', () => {
  fc.assert(
    fc.property(place, ({ size, at, part, bit }) => {
      const before = at + 1;
      const proof = consistencyRanges(before, size).map(treeHash);
      const all = [rootOf(before), rootOf(size), ...proof];
      all[part % all.length] = flipped(all[part % all.length] as Hash, bit);
      const [old, now, ...altered] = all as [Hash, Hash, ...Hash[]];
      assert.notEqual(verifyConsistency(before, size, altered, old, now), null);
      if (before < size) {
        const shorter = verifyConsistency(before, size, proof.slice(1), rootOf(before), rootOf(size));
        assert.notEqual(shorter, null);
        assert.notEqual(verifyConsistency(size, before, proof, rootOf(size), rootOf(before)), null);
      }
    }),
    { numRuns: runs(3000) },
  );
});

test('subtrees are proved to hold a leaf and to stand in a tree', () => {
  fc.assert(
    fc.property(place, fc.nat({ max: 9 }), fc.nat(), ({ size, at, bit }, level, pick) => {
      const width = 2 ** level;
      const start = at - (at % width);
      const end = Math.min(size, start + 1 + (pick % width));
      const subtree = { start, end };
      const hash = treeHash(subtree);
      const proof = subtreeConsistencyRanges(subtree, size).map(treeHash);
      assert.equal(verifySubtreeConsistency(subtree, size, proof, hash, rootOf(size)), null);
      assert.notEqual(verifySubtreeConsistency(subtree, size, proof, flipped(hash, bit), rootOf(size)), null);
      const index = start + (pick % (end - start));
      const path = subtreeInclusionRanges(index, subtree).map(treeHash);
      assert.equal(verifySubtreeInclusion(index, subtree, leaves[index] as Hash, path, hash), null);
    }),
    { numRuns: runs(1000) },
  );
});

test('proofs over sizes to 2^40 hold, over trees whose leaves are all alike', () => {
  const perfect: Hash[] = [hashLeaf('same')];
  for (let level = 1; level <= 40; level += 1)
    perfect.push(hashNode(perfect[level - 1] as Hash, perfect[level - 1] as Hash));
  const hashOf = (range: Range): Hash => foldRight(coverOf(range).map(({ level }) => perfect[level] as Hash));
  const size = fc.integer({ min: 1, max: 2 ** 40 });
  fc.assert(
    fc.property(size, size, fc.double({ min: 0, max: 0.999999, noNaN: true }), (a, b, share) => {
      const [before, after] = a < b ? [a, b] : [b, a];
      const [old, now] = [hashOf({ start: 0, end: before }), hashOf({ start: 0, end: after })];
      const index = Math.floor(share * after);
      const path = inclusionRanges(index, after).map(hashOf);
      assert.equal(verifyInclusion(index, after, perfect[0] as Hash, path, now), null);
      const proof = consistencyRanges(before, after).map(hashOf);
      assert.equal(verifyConsistency(before, after, proof, old, now), null);
    }),
    { numRuns: runs(300) },
  );
});

test('invalid sizes are refused, not computed with', () => {
  const [a, b] = [leaves[0] as Hash, leaves[1] as Hash];
  for (const odd of [-1, 0.5, NaN, Infinity, 2 ** 53, 2 ** 64]) {
    assert.notEqual(verifyInclusion(odd, 4, a, [a, b], b), null);
    assert.notEqual(verifyInclusion(0, odd, a, [a, b], b), null);
    assert.notEqual(verifyConsistency(odd, 4, [a], a, b), null);
    assert.notEqual(verifyConsistency(2, odd, [a], a, b), null);
  }
  assert.notEqual(verifyInclusion(0, 2, a, ['short'], hashNode(a, b)), null);
});

test('a range gives the same subtrees whichever end it grows at, and the root of its tree', () => {
  fc.assert(
    fc.property(place, fc.nat(), ({ size, at }, pick) => {
      const middle = at + (pick % (size - at + 1));
      const range = new CompactRange(middle);
      // Rows come to both ends in any order.
      while (range.start > at || range.end < size) {
        if (range.start > at) range.prepend(leaves[range.start - 1] as Hash);
        if (range.end < size) range.append(leaves[range.end] as Hash);
      }
      const expected = coverOf({ start: at, end: size }).map(({ level, index }) =>
        treeHash({ start: index * 2 ** level, end: (index + 1) * 2 ** level }),
      );
      assert.deepEqual(range.hashes(), expected);
      const whole = toCompactRange({ start: 0, end: at }, hashesOf({ start: 0, end: at }));
      assert.ok(whole);
      whole.appendRange(range);
      assert.equal(whole.root(), rootOf(size));
      for (const { level, index } of coverOf({ start: 0, end: at }).toReversed())
        range.prependNode(level, treeHash({ start: index * 2 ** level, end: (index + 1) * 2 ** level }));
      assert.equal(range.root(), rootOf(size));
      assert.ok(range.hashes().length <= 10, 'as many subtrees as the logarithm of the size');
    }),
    { numRuns: runs(500) },
  );
});

function hashesOf(range: Range): Hash[] {
  return coverOf(range).map(({ level, index }) =>
    treeHash({ start: index * 2 ** level, end: (index + 1) * 2 ** level }),
  );
}

test('a range is not made of too few or too many hashes', () => {
  const hashes = hashesOf({ start: 3, end: 17 });
  assert.ok(toCompactRange({ start: 3, end: 17 }, hashes));
  assert.equal(toCompactRange({ start: 3, end: 17 }, hashes.slice(1)), null);
  assert.equal(toCompactRange({ start: 3, end: 17 }, [...hashes, EMPTY_ROOT]), null);
});
