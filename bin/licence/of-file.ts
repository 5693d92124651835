import { IpoError, isIpoError } from '../../src/base/index.ts';
import { parseRequest } from '../../src/licence/index.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** MAX_FILE is the most characters of a certificate or a request. */
export const MAX_FILE = 64 * 1024;

/** readRequest reads an activation request. Throws FileError, and LicenceError with the file. */
export async function readRequest(
  path: string,
  terminal: Terminal,
): Promise<ReturnType<typeof parseRequest>> {
  const text = await openParts(terminal).readText(path, MAX_FILE);
  try {
    return parseRequest(text);
  } catch (error) {
    throw ofFile(path, error);
  }
}

/** ofFile gives the error of what a file holds with the file's name; any other error as it is. */
export function ofFile(path: string, error: unknown): unknown {
  if (!isIpoError(error) || error.code !== 'invalid_request' || error.place !== undefined) return error;
  const { code, message, hint } = error;
  return new IpoError(code, message, { place: { file: sourceName(path) }, hint, cause: error });
}

/** sourceName is how a file is called in messages. */
export const sourceName = (path: string): string => (path === '-' ? 'stdin' : path);
