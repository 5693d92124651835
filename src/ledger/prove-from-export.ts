import { auditExport } from './export-audit.ts';
import { CompactRange } from './compact-range.ts';
import { canonicalJson, parseStrictJson } from '../base/index.ts';
import { coverOf, foldRight, hashLeaf, type Hash, type Range } from './merkle.ts';
import { inclusionRanges } from './proof.ts';
import type { ExportTree } from './range-proof.ts';
import { verifyTlogProof, writeTlogProof } from './tlog-proof.ts';
import { TreeError } from './tree-error.ts';

/** Rows whose proofs are made by one walk over the file. */
const AT_ONCE = 200;

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
  return (await proveSome(chunks, file, [id], progress)).get(id) as string;
}

/** proveRowsFromExport makes the proofs of several rows; `open` gives the bytes of the export, once for each 200 of them. */
export async function proveRowsFromExport(
  open: () => AsyncIterable<Uint8Array>,
  file: string,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const proofs = new Map<number, string>();
  for (let at = 0; at < ids.length; at += AT_ONCE)
    for (const [id, proof] of await proveSome(open(), file, ids.slice(at, at + AT_ONCE)))
      proofs.set(id, proof);
  return proofs;
}

async function proveSome(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  ids: readonly number[],
  progress?: (rows: number) => void,
): Promise<Map<number, string>> {
  const lines = new Map<number, string>();
  const wanted = new Set(ids);
  const bounds = (tree: ExportTree | null): number[] =>
    ids.flatMap((id) =>
      tree === null || id > tree.size
        ? []
        : inclusionRanges(id - 1, tree.size).flatMap(({ start, end }) => [start, end]),
    );
  const audit = await auditExport(chunks, file, bounds, progress, (row, text) => {
    if (wanted.has(row)) lines.set(row, text);
  });
  const { tree, seal, chain } = audit;
  if (tree === null || seal === null) {
    throw new TreeError('format', `${file} has no signed tree, so its rows cannot be proved`, {
      hint: 'Export it from the service, or from its database',
    });
  }
  const missing = ids.find((id) => !lines.has(id));
  if (missing !== undefined) {
    const [first, last] = [tree.first, tree.last];
    const holds = first > last ? 'no rows' : `the rows ${first} to ${last}`;
    throw new TreeError('not_found', `row ${missing} is not in ${file}, which holds ${holds}`, {
      hint: '`ipo ledger list --ledger FILE` shows the rows with their numbers',
    });
  }
  const [fault] = [...chain.faults.map(({ text }) => text), ...audit.damage];
  if (fault !== undefined) throw new TreeError('integrity', `${file} is not whole: ${fault}`);
  const parts = [
    ...sideOf({ start: 0, end: tree.first - 1 }, tree.left),
    ...chain.ranges(),
    ...sideOf({ start: tree.last, end: tree.size }, tree.right),
  ];
  const proofs = new Map<number, string>();
  for (const [id, line] of lines) {
    const { type: _, ...row } = parseStrictJson(line) as Record<string, unknown>;
    const extra = Buffer.from(canonicalJson(row));
    const hashes = inclusionRanges(id - 1, tree.size).map((range) => hashWithin(parts, range));
    const proof = { index: id - 1, proof: hashes, note: seal.note, extra };
    verifyTlogProof(proof, hashLeaf(extra));
    proofs.set(id, writeTlogProof(proof));
  }
  return proofs;
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
