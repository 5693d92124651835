import { randomBytes } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Anchor } from '../../ledger/index.ts';
import { AnchorError } from './anchor-error.ts';

/** So many bytes at the end of the file are looked at; a note has a few hundred. */
const TAIL = 65_536;
/** What begins a signature line, read byte by byte as `latin1`. */
const SIGNATURE = Buffer.from('\n\u2014 ').toString('latin1');

/** FileAnchorOptions say which file is kept, and how. */
export interface FileAnchorOptions {
  readonly path: string;
  /** Every checkpoint one after another, or the newest alone. */
  readonly keep: 'all' | 'newest';
}

/**
 * fileAnchor keeps checkpoints in a file, as signed notes with an empty line between them: give it to
 * `ipo ledger verify --checkpoint`. Put it where who can change the database cannot change it. Of a note that a crash cut off
 * nothing is left when the next one comes; a file that holds something else is left alone. Throws AnchorError `unwritable`.
 */
export function fileAnchor({ path, keep }: FileAnchorOptions): Anchor {
  const file = resolve(path);
  return {
    name: `file:${file}`,
    async publish({ note }) {
      try {
        await (keep === 'all' ? append(file, note) : replace(file, note));
      } catch (cause) {
        if (cause instanceof AnchorError) throw cause;
        const { code = 'unknown fault' } = cause as NodeJS.ErrnoException;
        throw new AnchorError(
          'unwritable',
          `${file}: ${SENTENCES[code] ?? `it cannot be written (${code})`}`,
          { cause },
        );
      }
    },
  };
}

async function append(file: string, note: string): Promise<void> {
  const handle = await open(file, 'a+', 0o644);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const tail = buffer.toString('latin1');
    const end = endOfNotes(tail);
    const written = Buffer.from(note).toString('latin1');
    if (!isCutOff(tail.slice(end), written)) {
      throw new AnchorError('unwritable', `${file}: it holds something else than checkpoints`, {
        hint: 'Name a file of its own for the anchor',
      });
    }
    if (end < length) await handle.truncate(size - length + end);
    if (tail.slice(0, end).endsWith(written)) return;
    await handle.appendFile(size - length + end === 0 ? note : `\n${note}`);
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
