import { isUtf8 } from 'node:buffer';
import { endOfString, IpoError } from '../base/index.ts';

/** MAX_DEPTH is how deep arrays and objects of a body may be nested. */
const MAX_DEPTH = 100;

/**
 * parseJsonBody reads the JSON of a request's body. Before anything is built from it, it is walked once: not deeper than
 * MAX_DEPTH, no key twice in one object (two readers would see two requests), no key that reaches into prototypes.
 * Throws `invalid_request`.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid('the body is not UTF-8 text');
  const text = bytes.toString('utf8');
  let value: unknown;
  checkShape(text);
  try {
    value = JSON.parse(text);
  } catch (error) {
    const [, at] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    throw invalid(`the body is not valid JSON${at === undefined ? '' : `: fault at character ${at}`}`);
  }
  return value;
}

const OBJECT = 0x7b;
const ARRAY = 0x5b;
const QUOTE = 0x22;

/** Walks only brackets and strings; whatever else is wrong is JSON.parse's to find. */
function checkShape(text: string): void {
  /** Keys seen in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isKey = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case OBJECT:
      case ARRAY: {
        const isObject = text.charCodeAt(at) === OBJECT;
        if (open.length >= MAX_DEPTH) throw invalid(`the body is nested deeper than ${MAX_DEPTH} levels`);
        open.push(isObject ? new Set() : null);
        isKey = isObject;
        break;
      }
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        isKey = false;
        break;
      case 0x2c: // ,
        isKey = open.at(-1) instanceof Set;
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        const keys = open.at(-1);
        if (isKey && keys instanceof Set) takeKey(text.slice(at, end + 1), keys);
        isKey = false;
        at = end;
        break;
      }
    }
  }
}

function takeKey(quoted: string, keys: Set<string>): void {
  let key: string;
  try {
    key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  } catch {
    return; // JSON.parse of the whole finds it
  }
  if (key === '__proto__') throw invalid('the body has a field "__proto__", which is never accepted');
  if (keys.has(key)) throw invalid(`the body has the field ${JSON.stringify(key)} twice in one object`);
  keys.add(key);
}

function invalid(message: string): IpoError {
  return new IpoError('invalid_request', message);
}
