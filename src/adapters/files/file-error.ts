import { fileFaultOf, IpoError } from '../../base/index.ts';

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
  const known = fileFaultOf(error);
  const { code: fault = 'unknown fault' } = error as NodeJS.ErrnoException;
  const message = known?.message ?? `cannot be ${code === 'unreadable' ? 'read' : 'written'} (${fault})`;
  return new FileError(code, file, message, known?.hint, error);
}
