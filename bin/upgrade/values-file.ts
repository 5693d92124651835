import { LineCounter, parseDocument } from 'yaml';
import { IpoError } from '../../src/base/index.ts';
import { firstFault } from '../../src/syntax/index.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Bytes of a file of chart values. */
const MAX_VALUES = 1024 * 1024;

/** readValues reads the values of a chart. Throws FileError, or `invalid_config` with the line of what cannot be read. */
export async function readValues(path: string, terminal: Terminal): Promise<unknown> {
  const text = await openParts(terminal).readText(path, MAX_VALUES);
  const file = path === '-' ? 'stdin' : path;
  const lines = new LineCounter();
  const document = parseDocument(text, { logLevel: 'silent', lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    // Values may hold secrets, so no line is quoted.
    const { message, hint, line, column } = firstFault(text, lines, document, false);
    throw new IpoError('invalid_config', message, { place: { file, line, column }, hint });
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new IpoError('invalid_config', 'its YAML aliases expand to too many values', {
      place: { file },
      hint: 'Write the values out instead of using aliases',
      cause,
    });
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return value ?? {};
  throw new IpoError('invalid_config', 'holds no chart values: a map of keys is expected', {
    place: { file },
  });
}
