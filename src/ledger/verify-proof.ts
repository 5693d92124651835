import { parseStrictJson } from '../base/index.ts';
import { openCheckpoint, readCheckpoint, type Checkpoint } from './checkpoint.ts';
import type { KeptCheckpoint } from './kept.ts';
import { hashLeaf } from './merkle.ts';
import { parseNote, verifyNote, type NoteKey } from './note.ts';
import { parseTlogProof, verifyTlogProof, type TlogProof } from './tlog-proof.ts';
import { TreeError } from './tree-error.ts';
import { Findings, type Verification } from './verification.ts';
import type { VerifyOptions } from './verify-export.ts';

/** ProvedRow is the answer on a `.tlog-proof`, with the row that it proves. */
export interface ProvedRow extends Verification {
  /** The row as the tree has it; null when it is not proved. */
  readonly row: Readonly<Record<string, unknown>> | null;
}

/**
 * verifyProof verifies a `.tlog-proof` that carries its row. Its checkpoint must be signed by one of the keys, or be one that was stored
 * outside the service; one of both must be given. Throws TreeError `format` for what is not a proof of a row.
 */
export function verifyProof(text: string, name: string, { keys, kept }: VerifyOptions): ProvedRow {
  const proof = readProof(text, name);
  if (proof.extra === null) {
    throw new TreeError('format', 'the proof does not carry the row that it proves', {
      hint: MAKE,
      place: { file: name },
    });
  }
  const findings = new Findings();
  let checkpoint: Checkpoint | null = null;
  try {
    checkpoint = verifyTlogProof(proof, hashLeaf(proof.extra));
    findings.held('proof', `row ${proof.index + 1} stands in the tree of ${checkpoint.size} rows`);
  } catch (error) {
    if (!(error instanceof TreeError) || error.code !== 'integrity') throw error;
    findings.failed('proof', error.message);
  }
  const key = judgeNote(proof.note, keys, kept, findings);
  const id = proof.index + 1;
  const row = findings.holds ? parseRow(proof.extra, id) : null;
  if (findings.holds && row === null) findings.failed('proof', `what is proved is not row ${id}`);
  if (kept.length === 0) findings.limits.push(LIMIT);
  return {
    subject: 'proof',
    name,
    holds: findings.holds,
    tree: findings.holds ? checkpoint : null,
    key: key?.vkey ?? null,
    rows: { count: 1, signed: findings.holds ? 1 : 0, first: id, last: id },
    checks: findings.sorted(),
    firstBad: null,
    isForeign: false,
    limits: findings.limits,
    row,
  };
}

const MAKE = 'Give a .tlog-proof file; this writes one: ipo ledger prove ROW -o FILE.tlog-proof';

function readProof(text: string, name: string): TlogProof {
  try {
    return parseTlogProof(text);
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    throw new TreeError('format', error.message, { place: { file: name }, hint: MAKE });
  }
}

const LIMIT =
  'No checkpoint stored outside the service was compared. So it stays possible that the log signed another history for somebody else.';

/** Whether the checkpoint is signed, or was kept as it stands; gives the key that signed it. */
function judgeNote(
  note: string,
  keys: readonly NoteKey[],
  kept: readonly KeptCheckpoint[],
  findings: Findings,
): NoteKey | null {
  let key: NoteKey | null = null;
  if (keys.length > 0) {
    try {
      const { origin, size } = openCheckpoint(note, keys);
      key = verifyNote(parseNote(note), keys).find(({ name }) => name === origin) ?? null;
      findings.held('signature', `the checkpoint of ${size} rows is signed by ${origin} (key ${key?.keyId})`);
    } catch (error) {
      if (!(error instanceof TreeError) || error.code !== 'integrity') throw error;
      findings.failed('signature', error.message);
    }
  } else findings.notChecked('signature', 'no key was given to check the signature with');
  const { text } = parseNote(note);
  const { origin, size } = readCheckpoint(note);
  const same = kept.find((one) => parseNote(one.note).text === text);
  const other = kept.find(({ checkpoint }) => checkpoint.origin === origin && checkpoint.size === size);
  if (same !== undefined)
    findings.held('kept_checkpoint', `the checkpoint is the one that was kept in ${same.source}`);
  else if (other !== undefined)
    findings.failed(
      'kept_checkpoint',
      `the checkpoint of ${size} rows that was kept in ${other.source} is another one`,
    );
  else if (kept.length > 0 && keys.length === 0)
    findings.failed(
      'kept_checkpoint',
      'the checkpoint of the proof is none of those that were kept, and no key was given',
    );
  else if (kept.length > 0)
    findings.notChecked(
      'kept_checkpoint',
      'no given checkpoint has the size of the proof; verify the ledger to compare them',
    );
  return key;
}

function parseRow(bytes: Buffer, id: number): Readonly<Record<string, unknown>> | null {
  try {
    const row: unknown = parseStrictJson(bytes.toString('utf8'));
    const isRow = row !== null && typeof row === 'object' && (row as { id?: unknown }).id === id;
    return isRow ? (row as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
