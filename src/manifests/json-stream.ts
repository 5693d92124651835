import { parseStrictJson } from '../base/index.ts';

/** JsonDocument is one JSON value of a stream, with where it stands: offsets, and line and column from 1. */
export interface JsonDocument {
  readonly value: unknown;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
  /** How many values it holds, more or less. */
  readonly pieces: number;
}

/**
 * splitJson reads JSON objects that follow each other, as `kubectl` takes them and JSON lines are. It gives null for a text that is not
 * such a stream, or nests deeper than `maxDepth`: it is then read as YAML, which says what is wrong.
 */
export function splitJson(text: string, maxDepth: number): JsonDocument[] | null {
  const found: JsonDocument[] = [];
  let line = 1;
  let lineAt = 0;
  let depth = 0;
  let from = 0;
  let pieces = 0;
  let place = { line: 1, column: 1 };
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 10:
        line += 1;
        lineAt = at + 1;
        break;
      case 9:
      case 13:
      case 32:
        break;
      case 34: // "
        if (depth === 0) return null;
        at = endOfString(text, at);
        if (at === -1) return null;
        break;
      case 91: // [
      case 123: // {
        if (depth === 0) {
          if (text.charCodeAt(at) === 91) return null;
          from = at;
          pieces = 0;
          place = { line, column: at - lineAt + 1 };
        }
        depth += 1;
        pieces += 1;
        if (depth > maxDepth) return null;
        break;
      case 44: // ,
        if (depth === 0) return null;
        pieces += 1;
        break;
      case 93: // ]
      case 125: // }
        depth -= 1;
        if (depth < 0) return null;
        if (depth === 0) {
          try {
            found.push({
              value: parseStrictJson(text.slice(from, at + 1)),
              from,
              to: at + 1,
              ...place,
              pieces,
            });
          } catch {
            return null; // perhaps YAML in braces; a key that stands there twice is found with its place
          }
        }
        break;
      default:
        if (depth === 0) return null;
    }
  }
  return depth === 0 && found.length > 0 ? found : null;
}

/** The place of the quote that ends a string, or -1. A string of JSON does not go over a line. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at;
    if (code === 92) at += 1;
    else if (code === 10) return -1;
  }
  return -1;
}
