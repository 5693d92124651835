import { EMPTY_ROOT, HASH_BYTES, hashNode, splitOf, type Hash, type Range } from './merkle.ts';

/**
 * Proofs of RFC 6962 and RFC 9162, and those of subtrees (draft-ietf-plants-merkle-tree-certs): a subtree [start, end) is one
 * whose start is a multiple of the smallest power of two that holds it, so a tree of `size` leaves is its subtree [0, size).
 * What a proof consists of is computed first, as ranges of leaves; the caller gives the hashes.
 *
 * The verifying functions answer null when the proof holds, else a sentence that says what is wrong. Nothing that they are
 * given is trusted; numbers are whole and below 2^53.
 */

/** inclusionRanges gives the ranges whose hashes prove a leaf in the tree of `size` leaves, in the order of a proof. */
export function inclusionRanges(index: number, size: number): Range[] {
  return subtreeInclusionRanges(index, { start: 0, end: size });
}

/** subtreeInclusionRanges does the same for a subtree. */
export function subtreeInclusionRanges(index: number, subtree: Range): Range[] {
  return descend(index, subtree).map(({ range }) => range);
}

/** consistencyRanges gives the ranges whose hashes prove that the tree of `size` leaves extends that of `before` leaves. */
export function consistencyRanges(before: number, size: number): Range[] {
  return subtreeConsistencyRanges({ start: 0, end: before }, size);
}

/** subtreeConsistencyRanges gives those which prove that a subtree is one of the tree of `size` leaves. */
export function subtreeConsistencyRanges(subtree: Range, size: number): Range[] {
  if (subtree.start >= subtree.end) return [];
  const { seed, steps } = narrow(subtree, size);
  return [...(seed === null ? [] : [seed]), ...steps.map(({ range }) => range)];
}

/** verifyInclusion holds a leaf against the root of a tree of `size` leaves. */
export function verifyInclusion(
  index: number,
  size: number,
  leaf: Hash,
  proof: readonly Hash[],
  root: Hash,
): string | null {
  return verifySubtreeInclusion(index, { start: 0, end: size }, leaf, proof, root);
}

/** verifySubtreeInclusion holds a leaf against the hash of a subtree. */
export function verifySubtreeInclusion(
  index: number,
  subtree: Range,
  leaf: Hash,
  proof: readonly Hash[],
  root: Hash,
): string | null {
  const { start, end } = subtree;
  if (!isSubtree(subtree)) return `leaves ${start} to ${end} are not a subtree`;
  if (!isCount(index) || index < start || index >= end)
    return `leaf ${index} is not among the leaves ${start} to ${end - 1}`;
  const steps = descend(index, subtree);
  if (proof.length !== steps.length) return wrongLength(proof, steps.length);
  if (!isHash(leaf) || !proof.every(isHash)) return NOT_A_HASH;
  let hash = leaf;
  steps.forEach(({ isLeft }, i) => {
    const sibling = proof[i] as Hash;
    hash = isLeft ? hashNode(sibling, hash) : hashNode(hash, sibling);
  });
  return hash === root ? null : 'the proof leads to another root';
}

/** verifyConsistency holds an earlier root against a later one. From the empty tree nothing can be proved. */
export function verifyConsistency(
  before: number,
  size: number,
  proof: readonly Hash[],
  rootBefore: Hash,
  root: Hash,
): string | null {
  if (before === 0) return 'a proof from the empty tree proves nothing';
  return verifySubtreeConsistency({ start: 0, end: before }, size, proof, rootBefore, root);
}

/** verifySubtreeConsistency holds the hash of a subtree against the root of the tree of `size` leaves. */
export function verifySubtreeConsistency(
  subtree: Range,
  size: number,
  proof: readonly Hash[],
  hash: Hash,
  root: Hash,
): string | null {
  const { start, end } = subtree;
  if (!isCount(size) || !isCount(start) || !isCount(end) || start > end || end > size)
    return `the leaves ${start} to ${end} are not in a tree of ${size}`;
  if (start === end) {
    if (proof.length > 0) return wrongLength(proof, 0);
    return hash === EMPTY_ROOT ? null : 'the hash of no leaves is another';
  }
  if (!isSubtree(subtree)) return `leaves ${start} to ${end} are not a subtree`;
  const { seed, steps } = narrow(subtree, size);
  const expected = steps.length + (seed === null ? 0 : 1);
  if (proof.length !== expected) return wrongLength(proof, expected);
  if (!proof.every(isHash)) return NOT_A_HASH;
  const siblings = seed === null ? proof : proof.slice(1);
  let [old, now] = seed === null ? [hash, hash] : [proof[0] as Hash, proof[0] as Hash];
  steps.forEach(({ isLeft, isInside }, i) => {
    const sibling = siblings[i] as Hash;
    now = isLeft ? hashNode(sibling, now) : hashNode(now, sibling);
    if (isInside) old = hashNode(sibling, old);
  });
  if (old !== hash) return 'the proof leads to another earlier root';
  return now === root ? null : 'the proof leads to another later root';
}

interface Step {
  /** The leaves of the sibling. */
  readonly range: Range;
  /** Whether the sibling stands left of the path. */
  readonly isLeft: boolean;
  /** Whether the sibling belongs to the earlier tree as well. */
  readonly isInside: boolean;
}

/** The siblings of the path from a leaf up to the root of a subtree. */
function descend(index: number, { start, end }: Range): Step[] {
  const steps: Step[] = [];
  let [from, to] = [start, end];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    const isLeft = index >= middle;
    steps.push({
      range: isLeft ? { start: from, end: middle } : { start: middle, end: to },
      isLeft,
      isInside: false,
    });
    if (isLeft) from = middle;
    else to = middle;
  }
  return steps.toReversed();
}

/**
 * The siblings of the path from the right end of a subtree up to the root of the tree; `seed` is the part of the subtree
 * that the path begins at, or null where it is the subtree itself, whose hash needs no giving.
 */
function narrow({ start, end }: Range, size: number): { seed: Range | null; steps: readonly Step[] } {
  const steps: Step[] = [];
  let [from, to] = [0, size];
  let whole = true;
  while (to > end || (whole && from < start)) {
    const middle = from + splitOf(to - from);
    if (end <= middle) {
      steps.push({ range: { start: middle, end: to }, isLeft: false, isInside: false });
      to = middle;
    } else {
      const isInside = middle > start;
      steps.push({ range: { start: from, end: middle }, isLeft: true, isInside });
      if (isInside) whole = false;
      from = middle;
    }
  }
  return { seed: whole ? null : { start: from, end: to }, steps: steps.toReversed() };
}

function isSubtree({ start, end }: Range): boolean {
  if (!isCount(start) || !isCount(end) || start >= end) return false;
  let width = 1;
  while (width < end - start) width *= 2;
  return start % width === 0;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isHash(value: Hash): boolean {
  return value.length === HASH_BYTES;
}

function wrongLength(proof: readonly Hash[], expected: number): string {
  return `the proof has ${proof.length} hashes where it needs ${expected}`;
}

const NOT_A_HASH = 'the proof contains a value that is not a SHA-256';
