import { fromBase64, toBase64, type Hash } from './merkle.ts';
import { parseNote, verifyNote, writeNote, type NoteKey, type NoteSigner } from './note.ts';
import { TreeError } from './tree-error.ts';

/** Checkpoint is what a log says of its tree at one size (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** Which log it is. */
  readonly origin: string;
  /** Leaves of the tree. */
  readonly size: number;
  readonly root: Hash;
  /** Further lines, which have no meaning here and are kept. */
  readonly extensions: readonly string[];
}

/** checkpointText writes what is signed. */
export function checkpointText({ origin, size, root, extensions }: Checkpoint): string {
  return [origin, String(size), toBase64(root), ...extensions].map((line) => `${line}\n`).join('');
}

/** parseCheckpointText reads the text of a note as a checkpoint. Throws TreeError `format`. */
export function parseCheckpointText(text: string): Checkpoint {
  const [origin = '', digits = '', encoded = '', ...rest] = text.split('\n');
  const extensions = rest.slice(0, -1);
  if (rest.at(-1) !== '' || origin === '' || extensions.includes(''))
    throw fault('it contains an empty line');
  const size = /^(0|[1-9][0-9]{0,15})$/.test(digits) ? Number(digits) : NaN;
  if (!Number.isSafeInteger(size)) throw fault('its second line is not the size of a tree');
  const root = fromBase64(encoded);
  if (root === null) throw fault('its third line is not the base64 of a SHA-256');
  return { origin, size, root, extensions };
}

/** signCheckpoint writes a checkpoint as a signed note. */
export function signCheckpoint(checkpoint: Checkpoint, signer: NoteSigner): string {
  const text = checkpointText(checkpoint);
  return writeNote(text, [signer.sign(text)]);
}

/** readCheckpoint reads a checkpoint of a signed note without asking who signed it. Throws TreeError `format`. */
export function readCheckpoint(note: string): Checkpoint {
  return parseCheckpointText(parseNote(note).text);
}

/**
 * openCheckpoint verifies a signed note and reads its checkpoint. Throws TreeError: `format`; `integrity` when none of the keys
 * signed it or one of them signed something else, or when the checkpoint is of another log than the key that signed it.
 */
export function openCheckpoint(note: string, keys: readonly NoteKey[]): Checkpoint {
  const parsed = parseNote(note);
  const checkpoint = parseCheckpointText(parsed.text);
  const signers = verifyNote(parsed, keys);
  if (!signers.some(({ name }) => name === checkpoint.origin)) {
    throw new TreeError(
      'integrity',
      `the checkpoint is of the log ${checkpoint.origin}, and the key that signed it belongs to ${signers[0]?.name}`,
    );
  }
  return checkpoint;
}

function fault(what: string): TreeError {
  return new TreeError('format', `not a valid checkpoint: ${what}`);
}
