import { hash, randomBytes } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Anchor, AnchorKept } from '../../ledger/index.ts';
import { AnchorError } from './anchor-error.ts';

/** This many bytes at the end of the file are looked at; a note has a few hundred. */
const TAIL = 65_536;
/** What begins a signature line, read byte by byte as `latin1`. */
const SIGNATURE = Buffer.from('\n\u2014 ').toString('latin1');

/** FileAnchorOptions say which file is kept, and how. */
export interface FileAnchorOptions {
  readonly path: string;
  /** Every checkpoint one after another, or only the newest. */
  readonly keep: 'all' | 'newest';
}

/**
 * fileAnchor keeps checkpoints in a file, as signed notes with an empty line between them: give it to `ipo ledger verify --checkpoint`. Put
 * it where anyone who can change the database cannot change it. Of a note that a crash cut off nothing is left when the next one comes; a
 * file that holds something else is not touched. Throws AnchorError `unwritable`, `conflict`.
 */
export function fileAnchor({ path, keep }: FileAnchorOptions): Anchor {
  const file = resolve(path);
  return {
    name: `file:${file}`,
    read: () =>
      told(file, 'read', async () => {
        const end = await readEnd(file);
        return end === null ? NOTHING : { notes: notesOf(end, keep), version: versionOf(end) };
      }),
    publish: ({ note }, over) =>
      told(file, 'written', async () => {
        const end = await readEnd(file);
        if ((end === null ? null : versionOf(end)) !== over.version)
          throw new AnchorError('unwritable', `${file}: something else changed it meanwhile`);
        await (keep === 'all' ? append(file, end, note) : replace(file, note));
      }),
  };
}

const NOTHING: AnchorKept = { notes: [], version: null };

async function told<T>(file: string, done: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof AnchorError) throw cause;
    const { code = 'unknown fault' } = cause as NodeJS.ErrnoException;
    const sentence = SENTENCES[code] ?? `it cannot be ${done} (${code})`;
    throw new AnchorError('unwritable', `${file}: ${sentence}`, { cause });
  }
}

/** FileEnd is the end of a file, its bytes read as `latin1`. */
interface FileEnd {
  readonly size: number;
  readonly tail: string;
}

/** The end of the file; null where there is none. */
async function readEnd(file: string): Promise<FileEnd | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return { size, tail: buffer.toString('latin1', 0, bytesRead) };
  } finally {
    await handle.close();
  }
}

function versionOf({ size, tail }: FileEnd): string {
  return `${size}:${hash('sha256', tail)}`;
}

/** The whole notes at the end of the file, oldest first; of a file that holds only one, its content, whatever that is. */
function notesOf({ size, tail }: FileEnd, keep: FileAnchorOptions['keep']): readonly string[] {
  if (keep === 'newest') return size === 0 ? [] : [toText(tail)];
  const notes = toText(tail.slice(0, endOfNotes(tail))).split(/(?<=^\u2014 [^\n]*\n)\n+/m);
  // The first may be the rest of one that began before.
  return (size > tail.length ? notes.slice(1) : notes).filter((note) => note !== '');
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

async function append(file: string, end: FileEnd | null, note: string): Promise<void> {
  const { size, tail } = end ?? { size: 0, tail: '' };
  const last = endOfNotes(tail);
  const written = Buffer.from(note).toString('latin1');
  if (!isCutOff(tail.slice(last), written)) {
    throw new AnchorError('conflict', `${file}: it contains something other than checkpoints`, {
      hint: 'Name a file of its own for the anchor',
    });
  }
  const handle = await open(file, 'a', 0o644);
  try {
    if (last < tail.length) await handle.truncate(size - tail.length + last);
    if (tail.slice(0, last).endsWith(written)) return;
    await handle.appendFile(size - tail.length + last === 0 ? note : `\n${note}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function replace(file: string, note: string): Promise<void> {
  const temporary = join(dirname(file), `.${randomBytes(6).toString('hex')}.ipo-tmp`);
  let handle: FileHandle | null = null;
  try {
    handle = await open(temporary, 'wx', 0o644);
    await handle.writeFile(note);
    await handle.sync();
    await handle.close();
    await rename(temporary, file);
  } catch (error) {
    await handle?.close().catch(() => undefined); // the first fault is the one to tell
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Where the last whole note ends: behind its signature. */
function endOfNotes(tail: string): number {
  const signature = tail.lastIndexOf(SIGNATURE, tail.lastIndexOf('\n') - 1);
  return signature === -1 ? 0 : tail.indexOf('\n', signature + 1) + 1;
}

/** Whether what stands behind the last note is the beginning of another one of the same log, or nothing. */
function isCutOff(rest: string, note: string): boolean {
  const begun = rest.replace(/^\n+/, '');
  const origin = note.slice(0, note.indexOf('\n') + 1);
  return begun.startsWith(origin) || origin.startsWith(begun);
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'its directory is not there',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EISDIR: 'it is a directory',
};
