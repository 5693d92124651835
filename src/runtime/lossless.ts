/** What Node has and the types of this release lack: the text of a number while it is read, and a value that is written as it is given. */
interface LosslessJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
const lossless = JSON as unknown as LosslessJson;

/** Only a number of so many digits, or with a point or an exponent, may not be written again as it was. */
const UNSURE = /\d{16}|\d[.eE]|-0/;

/**
 * parseLossless is JSON.parse that keeps numbers as they are written: one that a double would change (`1815508000000000001`, `0.0`) becomes a
 * value that JSON.stringify writes as it stood, and that `numberText` reads. Throws SyntaxError.
 */
export function parseLossless(text: string): unknown {
  if (!UNSURE.test(text)) return JSON.parse(text);
  return lossless.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? lossless.rawJSON(source)
      : value,
  );
}

/** numberText gives a number as it was written; null for what is none. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return lossless.isRawJSON(value) ? value.rawJSON : null;
}

const DEEPEST = 32;

/** isTooDeep tells whether a JSON text nests deeper than any event does, before it is parsed. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 92) at += 1;
      else if (code === 34) inText = false;
    } else if (code === 34) inText = true;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return false;
}
