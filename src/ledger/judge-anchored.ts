import { openCheckpoint, readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { faultOfExtending } from './extends.ts';
import { openOfEnded, type EndedLog } from './ended-log.ts';
import { parseNote, type NoteKey } from './note.ts';
import { TreeError } from './tree-error.ts';
import type { TreeReader } from './tree-ports.ts';

/**
 * ANCHOR_REFUSALS are why a checkpoint is not published: what the anchor keeps is not a signed checkpoint (`unreadable`), was
 * changed there (`signature`), belongs to another log (`other_log`) or is signed by another key (`other_key`), has more rows than
 * the ledger (`ahead`) or other rows (`forked`); or the anchor itself refuses it (`conflict`).
 */
export const ANCHOR_REFUSALS = [
  'unreadable',
  'signature',
  'other_log',
  'other_key',
  'ahead',
  'forked',
  'conflict',
] as const;

/** AnchorRefusal is one of those reasons. */
export type AnchorRefusal = (typeof ANCHOR_REFUSALS)[number];

/** isOtherHistory tells whether a refusal proves that this log has signed another history: then it must sign nothing more. */
export function isOtherHistory(reason: AnchorRefusal | null): boolean {
  return reason === 'ahead' || reason === 'forked';
}

/** isOtherLedger tells whether a refusal says that the ledger is not the one that was anchored. */
export function isOtherLedger(reason: AnchorRefusal | null): boolean {
  return isOtherHistory(reason) || reason === 'other_log' || reason === 'other_key';
}

/** Anchored is what the notes that an anchor keeps say of the ledger: rows that they prove, or why they are not of it. */
export type Anchored =
  | { readonly size: number; readonly reason: null }
  | { readonly size: number | null; readonly reason: AnchorRefusal; readonly text: string };

/**
 * judgeAnchored holds the notes that an anchor keeps, oldest first, against the tree: the newest and the largest must be of this log
 * and key and be extended by the tree. `size` is 0 where none is kept.
 */
export async function judgeAnchored(
  notes: readonly string[],
  key: NoteKey,
  tree: TreeReader,
): Promise<Anchored> {
  let size = 0;
  const ended = (await tree.ended?.()) ?? [];
  for (const note of chosen(notes)) {
    const judged = await judge(note, key, tree, ended);
    if (judged.reason !== null) return judged;
    size = Math.max(size, judged.size);
  }
  return { size, reason: null };
}

/** The newest note, and the largest of those that can be read: an anchor may hold many, each of which proves those before it. */
function chosen(notes: readonly string[]): readonly string[] {
  const newest = notes.at(-1);
  if (newest === undefined) return [];
  let largest = newest;
  let most = sizeOf(newest);
  for (const note of notes) {
    const size = sizeOf(note);
    if (size > most) [largest, most] = [note, size];
  }
  return largest === newest ? [newest] : [largest, newest];
}

function sizeOf(note: string): number {
  try {
    return readCheckpoint(note).size;
  } catch (error) {
    if (error instanceof TreeError) return -1;
    throw error;
  }
}

async function judge(
  note: string,
  key: NoteKey,
  tree: TreeReader,
  ended: readonly EndedLog[],
): Promise<Anchored> {
  let kept: Checkpoint;
  try {
    kept = readCheckpoint(note);
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    const text = `what it holds is not a signed checkpoint: ${error.message}`;
    return { size: null, reason: 'unreadable', text };
  }
  const { size, origin } = kept;
  const refuse = (reason: AnchorRefusal, text: string): Anchored => ({ size, reason, text });
  const what = `it holds a checkpoint of ${rows(size)}`;
  const before = origin === key.name ? null : openOfEnded(note, origin, ended);
  if (before !== null) {
    // What was lost is known, and the log goes on under another name: that is told here in its place.
    if (size > before.log.size && size <= before.log.lostTo) return { size: 0, reason: null };
    if (size > before.log.lostTo)
      return refuse(
        'ahead',
        `${what} of the log ${origin}, which a restore ended with ${before.log.lostTo} rows: more rows were lost than the restore was told of`,
      );
    const fault = await faultOfExtending(tree, before.checkpoint, await tree.size());
    if (fault === null) return { size: 0, reason: null };
    return refuse('forked', `${what} of the log ${origin} that the ledger does not extend (${fault})`);
  }
  if (origin !== key.name)
    return refuse('other_log', `${what} of another log, ${origin}; this ledger is ${key.name}`);
  const signed = parseNote(note).signatures;
  if (!signed.some(({ name, keyId }) => name === key.name && keyId === key.keyId)) {
    const others = signed.filter(({ name }) => name === origin).map(({ keyId }) => keyId);
    return refuse(
      'other_key',
      `${what} that another key signed (${others[0] ?? 'unknown'}); the key of this ledger is ${key.keyId}`,
    );
  }
  try {
    openCheckpoint(note, [key]);
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    return refuse('signature', `${what} whose signature does not match: it was changed there`);
  }
  const held = await tree.size();
  if (size > held) {
    return refuse(
      'ahead',
      `${what} that this log signed, and the ledger has ${held} now: rows were removed, or an older database was put in its place`,
    );
  }
  const fault = await faultOfExtending(tree, kept, held);
  if (fault === null) return { size, reason: null };
  return refuse(
    'forked',
    `${what} that this log signed, and the ledger of ${rows(held)} does not extend it (${fault}): rows were changed, or an older database was put in its place and grew`,
  );
}

function rows(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}
