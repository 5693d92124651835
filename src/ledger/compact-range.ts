import { coverOf, foldRight, hashNode, type Hash, type Range } from './merkle.ts';

/**
 * CompactRange holds the hash of a run of leaves in as few subtrees as there are, so that a tree of any size is followed
 * in memory of its logarithm. It grows at its right end (rows as they are written) or at its left end (rows of an export,
 * which come newest first).
 */
export class CompactRange {
  /** From the left, split where the two ends grow: `#left` is kept back to front. */
  readonly #left: Piece[] = [];
  readonly #right: Piece[] = [];
  readonly #joined: Joined | null;
  #start: number;
  #end: number;

  /** Begins empty before the leaf `at`. `joined` is told of each subtree that is made of two. */
  constructor(at: number, joined: Joined | null = null) {
    this.#start = at;
    this.#end = at;
    this.#joined = joined;
  }

  /** First leaf. */
  get start(): number {
    return this.#start;
  }

  /** The leaf after the last. */
  get end(): number {
    return this.#end;
  }

  /** Takes the hash of the leaf at `end`. */
  append(leaf: Hash): void {
    this.appendNode(0, leaf);
  }

  /** Takes the hash of the leaf before `start`. */
  prepend(leaf: Hash): void {
    this.prependNode(0, leaf);
  }

  /** Takes the hash of the complete subtree of 2^`level` leaves that begins at `end`. */
  appendNode(level: number, hash: Hash): void {
    const pieces = this.#right;
    let piece: Piece = { level, index: this.#end / 2 ** level, hash };
    this.#end += 2 ** level;
    for (;;) {
      const last = pieces.at(-1);
      if (last === undefined || last.level !== piece.level || piece.index % 2 === 0) break;
      pieces.pop();
      piece = this.#join(last, piece);
    }
    pieces.push(piece);
  }

  /** Takes the hash of the complete subtree of 2^`level` leaves that ends at `start`. */
  prependNode(level: number, hash: Hash): void {
    const pieces = this.#left;
    this.#start -= 2 ** level;
    let piece: Piece = { level, index: this.#start / 2 ** level, hash };
    for (;;) {
      const next = pieces.at(-1);
      if (next === undefined || next.level !== piece.level || piece.index % 2 === 1) break;
      pieces.pop();
      piece = this.#join(piece, next);
    }
    pieces.push(piece);
  }

  #join(left: Piece, right: Piece): Piece {
    const piece = { level: left.level + 1, index: left.index / 2, hash: hashNode(left.hash, right.hash) };
    this.#joined?.(piece.level, piece.index, piece.hash);
    return piece;
  }

  /** Takes what stands right of it: `other` begins where this ends. */
  appendRange(other: CompactRange): void {
    for (const { level, hash } of other.#pieces()) this.appendNode(level, hash);
  }

  /** The hashes of the subtrees that cover it, in the order of `coverOf`. */
  hashes(): readonly Hash[] {
    return this.#pieces().map(({ hash }) => hash);
  }

  /** The root of the tree of its leaves; it must begin at leaf 0. */
  root(): Hash {
    if (this.#start !== 0) throw new Error('a range that does not begin at leaf 0 has no root');
    return foldRight(this.hashes());
  }

  /** The subtrees from the left; those at the seam of the two ends are joined as far as they go. */
  #pieces(): readonly Piece[] {
    if (this.#left.length === 0) return this.#right;
    const pieces = this.#left.toReversed();
    if (this.#right.length === 0) return pieces;
    const seamless = new CompactRange(this.#start);
    for (const { level, hash } of [...pieces, ...this.#right]) seamless.appendNode(level, hash);
    return seamless.#right;
  }
}

/** Joined is told of a subtree that was made of its two halves. */
export type Joined = (level: number, index: number, hash: Hash) => void;

interface Piece {
  readonly level: number;
  readonly index: number;
  readonly hash: Hash;
}

/** toCompactRange makes the range of these hashes, which must be as many as `coverOf` gives; null when they are not. */
export function toCompactRange(range: Range, hashes: readonly Hash[]): CompactRange | null {
  const cover = coverOf(range);
  if (cover.length !== hashes.length) return null;
  const compact = new CompactRange(range.start);
  cover.forEach(({ level }, i) => compact.appendNode(level, hashes[i] as Hash));
  return compact;
}
