import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { isIpoError } from '../../base/index.ts';
import { readBounded } from '../../adapters/files/index.ts';
import { firstFault } from '../../syntax/index.ts';
import { ConfigError, type ConfigProblem } from './error.ts';

/** ConfigFile is a configuration file as it was read: its value, and where in it each setting stands. */
export interface ConfigFile {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  placeOf(path: readonly PropertyKey[]): Pick<ConfigProblem, 'line' | 'column'>;
}

const MAX_BYTES = 262_144;

/** readConfigText reads the text of a configuration file. Throws ConfigError, FileError. */
export async function readConfigText(name: string): Promise<string> {
  try {
    return await readBounded(name, MAX_BYTES);
  } catch (error) {
    if (isIpoError(error) && (error.code === 'too_large' || error.code === 'not_text')) {
      throw new ConfigError([{ file: name, path: '', message: error.message, hint: error.hint ?? null }]);
    }
    throw error;
  }
}

/** parseConfigText reads a configuration of YAML or JSON; `name` says in messages where it stands. Throws ConfigError. */
export function parseConfigText(name: string, text: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    merge: false,
    prettyErrors: false,
  });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0) {
    const { line, column, message, hint } = firstFault(text, lines, document, false);
    throw new ConfigError([{ file: name, line, column, path: '', message, hint: hint ?? null }]);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    throw new ConfigError([
      { file: name, path: '', message: 'aliases are not allowed', hint: 'Write each value out' },
    ]);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError([
      {
        file: name,
        line: 1,
        column: 1,
        path: '',
        message: 'this is not a list of settings',
        hint: 'Write `name: value`, one on each line',
      },
    ]);
  }
  return {
    name,
    value: value as Readonly<Record<string, unknown>>,
    placeOf: (path) => {
      let place = {};
      let node: unknown = document.contents;
      for (const step of path) {
        if (isMap(node)) {
          const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
          if (pair === undefined) break;
          if (isScalar(pair.key) && pair.key.range) place = at(pair.key.range[0]);
          node = pair.value;
        } else break;
      }
      return place;
    },
  };
}
