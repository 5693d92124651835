import { auditExport } from './export-audit.ts';
import { CompactRange } from './compact-range.ts';
import { canonicalJson, parseStrictJson } from '../base/index.ts';
import { coverOf, foldRight, hashLeaf, type Hash, type Range } from './merkle.ts';
import { inclusionRanges } from './proof.ts';
import type { ExportTree } from './range-proof.ts';
import { verifyTlogProof, writeTlogProof } from './tlog-proof.ts';
import { TreeError } from './tree-error.ts';

/**
 * proveFromExport makes the proof of a row from the bytes of an export (already decompressed) that holds it: whole or a part, as long
 * as it carries its tree. The file is read once, in flat memory. Throws TreeError: `not_found` where the row is not in it,
 * `format` where it carries no tree, `integrity` where its rows do not give the root that was signed.
 */
export async function proveFromExport(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  id: number,
  progress?: (rows: number) => void,
): Promise<string> {
  const index = id - 1;
  let line: string | null = null;
  const bounds = (tree: ExportTree | null): number[] =>
    tree === null || id > tree.size
      ? []
      : inclusionRanges(index, tree.size).flatMap(({ start, end }) => [start, end]);
  const audit = await auditExport(chunks, file, bounds, progress, (row, text) => {
    if (row === id) line = text;
  });
  const { tree, seal, chain } = audit;
  if (tree === null || seal === null) {
    throw new TreeError('format', `${file} carries no signed tree, so nothing in it can be proved`, {
      hint: 'Export it from the service, or from its database',
    });
  }
  if (line === null) {
    const [first, last] = [tree.first, tree.last];
    const holds = first > last ? 'no rows' : `the rows ${first} to ${last}`;
    throw new TreeError('not_found', `row ${id} is not in ${file}, which holds ${holds}`);
  }
  const [fault] = [...chain.faults.map(({ text }) => text), ...audit.damage];
  if (fault !== undefined) throw new TreeError('integrity', `${file} is not whole: ${fault}`);
  const parts = [
    ...sideOf({ start: 0, end: tree.first - 1 }, tree.left),
    ...chain.ranges(),
    ...sideOf({ start: tree.last, end: tree.size }, tree.right),
  ];
  const { type: _, ...row } = parseStrictJson(line) as Record<string, unknown>;
  const extra = Buffer.from(canonicalJson(row));
  const hashes = inclusionRanges(index, tree.size).map((range) => hashWithin(parts, range));
  const proof = { index, proof: hashes, note: seal.note, extra };
  verifyTlogProof(proof, hashLeaf(extra));
  return writeTlogProof(proof);
}

/** The subtrees beside the rows, each as a range of its own; none where their number does not fit. */
function sideOf(range: Range, hashes: readonly Hash[]): CompactRange[] {
  const cover = coverOf(range);
  if (cover.length !== hashes.length) return [];
  return cover.map(({ level, index }, i) => {
    const one = new CompactRange(index * 2 ** level);
    one.appendNode(level, hashes[i] as Hash);
    return one;
  });
}

/** The hash of a run of leaves from ranges that stand one after another and that it does not cut. */
function hashWithin(parts: readonly CompactRange[], { start, end }: Range): Hash {
  const whole = new CompactRange(start);
  for (const part of parts) if (part.start >= start && part.end <= end) whole.appendRange(part);
  return foldRight(whole.hashes());
}
