import { parseStrictJson } from '../base/index.ts';
import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { parseHeader } from './export-format.ts';
import { LineBlocks } from './lines.ts';
import { MAX_NOTE, parseNote, verifyNote, type NoteKey } from './note.ts';
import { parseSeal, type RangeProof } from './range-proof.ts';
import { parseTlogProof } from './tlog-proof.ts';
import { TreeError } from './tree-error.ts';

/** MAX_KEPT bounds a file of kept checkpoints in bytes: months of them, one a minute, fit. */
export const MAX_KEPT = 64 * MAX_NOTE;

/** KeptCheckpoint is a checkpoint that was kept outside of the ledger, so that nobody who can change that could change it. */
export interface KeptCheckpoint {
  /** The file that it came from. */
  readonly source: string;
  readonly note: string;
  readonly checkpoint: Checkpoint;
  /** What an export that was kept says beside it: hashes by which the first changed row is found. */
  readonly range: RangeProof | null;
}

/**
 * parseKept reads what was kept: one signed note, several one after another (as an anchor appends them), or a `.tlog-proof`.
 * Signatures are not verified yet. Throws TreeError `format`.
 */
export function parseKept(text: string, source: string): KeptCheckpoint[] {
  const place = { file: source };
  try {
    // Mail and editors write other line ends; what was signed has none of them, so that this is what was kept.
    const kept = text.replaceAll('\r\n', '\n');
    const notes = kept.startsWith('c2sp.org/tlog-proof@') ? [parseTlogProof(kept).note] : splitNotes(kept);
    return notes.map((note) => ({ source, note, checkpoint: readCheckpoint(note), range: null }));
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    throw new TreeError('format', `this is not a checkpoint: ${error.message}`, {
      place,
      hint: 'Give what `ipo ledger checkpoint` prints, a .tlog-proof, or an earlier export',
    });
  }
}

/**
 * keptOfExport takes the checkpoint of an earlier export (already decompressed), with the hashes beside it by which a later change
 * is found; its rows are not looked at. `failure` says what cannot be done without it. Throws TreeError `format`.
 */
export async function keptOfExport(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
  failure = 'the ledger cannot be compared with this earlier export',
): Promise<KeptCheckpoint> {
  const lines = new LineBlocks();
  let first: string | null = null;
  let last = '';
  const take = (block: string): void => {
    if (block === '') return;
    first ??= block.slice(0, (block.indexOf('\n') + 1 || block.length + 1) - 1);
    const end = block.endsWith('\n') ? block.length - 1 : block.length;
    last = block.slice(block.lastIndexOf('\n', end - 1) + 1, end);
  };
  for await (const chunk of chunks) for (const block of lines.push(chunk)) take(block);
  take(lines.end());
  const place = { file: source };
  const header = headerOf(first ?? '');
  if (header === null)
    throw new TreeError('format', 'this is not a ledger export, so nothing can be compared with it', {
      place,
    });
  try {
    const { tree } = parseHeader(header);
    const value = parseStrictJson(last) as Record<string, unknown>;
    if (!tree || value.type !== 'checkpoint') throw new Error('it carries no signed checkpoint');
    const seal = parseSeal(value);
    return { source, note: seal.note, checkpoint: readCheckpoint(seal.note), range: { tree, seal } };
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is damaged' : (error as Error).message;
    throw new TreeError('format', `${failure}: ${reason}`, {
      place,
      cause: error,
    });
  }
}

/** The first line, where it is one of an export of any release; else null. */
function headerOf(line: string): Record<string, unknown> | null {
  try {
    const value = parseStrictJson(line) as Record<string, unknown> | null;
    return value?.['type'] === 'header' ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Notes one after another: a text holds no empty line in a checkpoint, and its signatures end it. */
function splitNotes(text: string): string[] {
  const notes = text.split(/(?<=^\u2014 [^\n]*\n)\n*(?!\u2014 )/m).filter((note) => note.trim() !== '');
  if (notes.length === 0) throw new TreeError('format', 'not a signed note: the file is empty');
  return notes;
}

/** signersOf gives the keys, of those given, that signed a kept checkpoint; none when a signature fails or none is theirs. */
export function signersOf({ note }: KeptCheckpoint, keys: readonly NoteKey[]): readonly NoteKey[] {
  try {
    return verifyNote(parseNote(note), keys);
  } catch (error) {
    if (error instanceof TreeError) return [];
    throw error;
  }
}
