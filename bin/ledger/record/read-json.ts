import { openBytes } from '../../../src/app/index.ts';
import { IpoError } from '../../../src/base/index.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The pods of some ten thousand workloads; what is larger comes in several files. */
const MAX_BYTES = 384 * 1024 * 1024;

/** readJson reads a JSON file, plain or compressed. Throws FileError, and `too_large` or `format` with the file. */
export async function readJson(path: string, { stdin }: Pick<Terminal, 'stdin'>): Promise<unknown> {
  const file = path === '-' ? 'stdin' : path;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await openBytes(path, stdin)) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES)
      throw new IpoError('too_large', 'a list of a cluster has at most 384 MiB', {
        place: { file },
        hint: 'Write a file for each namespace, and give each with a --pods of its own',
      });
    pieces.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown;
  } catch (cause) {
    // YAML and text begin with neither of the two.
    const isJson = /^\s*[{[]/.test(Buffer.from(pieces[0] ?? []).toString('utf8'));
    throw new IpoError('format', isJson ? 'this is not complete JSON' : 'this is not JSON', {
      place: { file },
      hint: isJson
        ? 'Write it again with kubectl get … -o json; a file that was cut in the middle cannot be read'
        : 'Write it with kubectl get … -o json; YAML and tables are not read',
      cause,
    });
  }
}
