import { parseLossless } from './lossless.ts';
import { fieldText } from './event.ts';

/** FieldReader gives some fields of the JSON object that an event's output fields are kept as. */
export type FieldReader = (text: string) => ReadonlyMap<string, string | null>;

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * fieldReader reads the fields of these names, and gives of them what `toFields` gives. It makes nothing of the others: a replay asks
 * millions of events for one or two of their twenty fields. The text is one that JSON.stringify wrote, which has each name once.
 */
export function fieldReader(names: ReadonlySet<string>): FieldReader {
  return (text) => {
    const found = new Map<string, string | null>();
    let at = skipSpace(text, 1);
    while (text.charCodeAt(at) === QUOTE && found.size < names.size) {
      const nameEnd = endOfText(text, at);
      const name = textIn(text, at, nameEnd);
      const from = skipSpace(text, text.indexOf(':', nameEnd) + 1);
      const end = endOfValue(text, from);
      if (names.has(name)) found.set(name, valueIn(text, from, end));
      at = skipSpace(text, text.indexOf(',', end) + 1);
    }
    return found;
  };
}

function valueIn(text: string, from: number, end: number): string | null {
  if (text.charCodeAt(from) === QUOTE) return fieldText(textIn(text, from, end));
  const written = text.slice(from, end);
  // A number is what stands there.
  return /^-?\d/.test(written) ? written : fieldText(parseLossless(written));
}

/** The text between two quotes. */
function textIn(text: string, from: number, end: number): string {
  const inner = text.slice(from + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(from, end)) as string) : inner;
}

/** Behind the quote that ends the text which begins here. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
}

function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return endOfText(text, from);
  const nests = first === 123 || first === 91;
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at) - 1;
    else if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) {
      if (!nests) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (!nests && (code === 44 || code <= 32)) return at;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at += 1;
  return at;
}
