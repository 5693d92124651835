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
      // An object: only whitespace may stand between two of them.
      case 123: {
        const end = endOfObject(text, at, maxDepth);
        if (end === null) return null;
        const { to, pieces } = end;
        try {
          const value: unknown = parseStrictJson(text.slice(at, to));
          found.push({ value, from: at, to, line, column: at - lineAt + 1, pieces });
        } catch {
          return null; // perhaps YAML in braces; a key that stands there twice is found with its place
        }
        if (end.lines > 0) {
          line += end.lines;
          lineAt = end.lineAt;
        }
        at = to - 1;
        break;
      }
      default:
        return null;
    }
  }
  return found.length > 0 ? found : null;
}

/** ObjectEnd says where an object ends that begins at a place, how many values it holds and what it adds to the lines. */
interface ObjectEnd {
  /** Behind its last brace. */
  readonly to: number;
  readonly pieces: number;
  /** Line breaks in it, and where the line of its end begins if there are any. */
  readonly lines: number;
  readonly lineAt: number;
}

/** The end of the object that begins at `from`; null if there is none, or it nests too deep. Only brackets are counted: the parser follows. */
function endOfObject(text: string, from: number, maxDepth: number): ObjectEnd | null {
  let depth = 0;
  let pieces = 0;
  let lines = 0;
  let lineAt = 0;
  for (let at = from; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 10:
        lines += 1;
        lineAt = at + 1;
        break;
      case 34: // "
        at = endOfString(text, at);
        if (at === -1) return null;
        break;
      case 91: // [
      case 123: // {
        depth += 1;
        pieces += 1;
        if (depth > maxDepth) return null;
        break;
      case 44: // ,
        pieces += 1;
        break;
      case 93: // ]
      case 125: // }
        depth -= 1;
        if (depth === 0) return { to: at + 1, pieces, lines, lineAt };
    }
  }
  return null;
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
