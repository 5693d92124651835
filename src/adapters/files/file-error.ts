import { IpoError } from '../../base/index.ts';

/** FileError says why a file cannot be read or written. */
export class FileError extends IpoError {
  override readonly name = 'FileError';
  constructor(
    code: 'unreadable' | 'unwritable' | 'too_large' | 'not_text' | 'damaged' | 'truncated',
    file: string | null,
    message: string,
    hint?: string,
    cause?: unknown,
  ) {
    super(code, file === null ? message : `${file}: ${message}`, { hint, cause });
  }
}

/** toFileError turns a fault of the file system into a sentence. */
export function toFileError(code: 'unreadable' | 'unwritable', file: string, error: unknown): FileError {
  const fault = error as NodeJS.ErrnoException;
  const [message, hint] = SENTENCES[fault.code ?? ''] ?? [
    `cannot be ${code === 'unreadable' ? 'read' : 'written'} (${fault.code ?? 'unknown fault'})`,
  ];
  return new FileError(code, file, message, hint, error);
}

const SENTENCES: Readonly<Record<string, readonly [string, string?]>> = {
  ENOENT: ['no such file or directory', 'Check the path; it is relative to the current directory'],
  EACCES: ['permission denied', 'Give this user access to the file'],
  EPERM: ['permission denied', 'Give this user access to the file'],
  EISDIR: ['is a directory, not a file', 'Name a file in it'],
  ENOTDIR: ['a part of the path is not a directory', 'Check the path'],
  ENOSPC: ['no space left on the device', 'Free some space; nothing was half-written'],
  EROFS: ['the file system is read-only', 'Write to another place'],
  ELOOP: ['too many symbolic links', 'Name the file itself'],
  ENAMETOOLONG: ['the name is too long', 'Use a shorter one'],
};
