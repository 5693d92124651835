import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { fromBase64, toBase64, type Hash } from './merkle.ts';
import { MAX_NOTE } from './note.ts';
import { verifyInclusion } from './proof.ts';
import { TreeError } from './tree-error.ts';

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** No tree has a longer path. */
const MAX_HASHES = 64;

/** TlogProof is the proof that a row stands in a signed tree (c2sp.org/tlog-proof), as it was read: nothing is verified yet. */
export interface TlogProof {
  /** Place of the leaf, from 0: a row's id less one. */
  readonly index: number;
  /** From the leaf's sibling up. */
  readonly proof: readonly Hash[];
  /** The checkpoint as a signed note. */
  readonly note: string;
  /** Bytes beside the proof; ours hold the text of the leaf. They count for nothing before their hash was proved. */
  readonly extra: Buffer | null;
}

/** writeTlogProof writes a proof as a file. */
export function writeTlogProof({ index, proof, note, extra }: TlogProof): string {
  const lines = [
    FIRST_LINE,
    ...(extra === null ? [] : [`extra ${extra.toString('base64')}`]),
    `index ${index}`,
    ...proof.map(toBase64),
  ];
  return `${lines.join('\n')}\n\n${note}`;
}

/** parseTlogProof reads a proof. Throws TreeError `format`. */
export function parseTlogProof(text: string): TlogProof {
  if (text.length > 2 * MAX_NOTE) throw fault('it is longer than any proof');
  const end = text.indexOf('\n\n');
  if (end === -1) throw fault('the empty line before its checkpoint is missing');
  const lines = text.slice(0, end).split('\n');
  if (lines.shift() !== FIRST_LINE) throw fault(`its first line is not ${FIRST_LINE}`);
  let extra: Buffer | null = null;
  if (lines[0]?.startsWith('extra ')) {
    const encoded = lines.shift()?.slice('extra '.length) ?? '';
    extra = Buffer.from(encoded, 'base64');
    if (extra.toString('base64') !== encoded) throw fault('its extra data is not base64');
  }
  const digits = /^index (0|[1-9][0-9]{0,15})$/.exec(lines.shift() ?? '')?.[1];
  const index = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(index))
    throw fault('the line with the index cannot be read');
  if (lines.length > MAX_HASHES) throw fault('it has more hashes than any tree is high');
  const proof = lines.map((line) => {
    const hash = fromBase64(line);
    if (hash === null) throw fault('a line of it is not the base64 of a SHA-256');
    return hash;
  });
  const note = text.slice(end + 2);
  return { index, proof, note, extra };
}

/**
 * verifyTlogProof holds a leaf against the proof's own checkpoint, and gives that; whether the checkpoint is signed by the
 * right key is another question (`openCheckpoint`). Throws TreeError `format` or `integrity`.
 */
export function verifyTlogProof(proof: TlogProof, leaf: Hash): Checkpoint {
  const checkpoint = readCheckpoint(proof.note);
  const fault = verifyInclusion(proof.index, checkpoint.size, leaf, proof.proof, checkpoint.root);
  if (fault !== null) {
    throw new TreeError(
      'integrity',
      `row ${proof.index + 1} is not proved to stand in the tree of ${checkpoint.size} rows: ${fault}`,
    );
  }
  return checkpoint;
}

function fault(what: string): TreeError {
  return new TreeError('format', `not a valid tlog-proof: ${what}`);
}
