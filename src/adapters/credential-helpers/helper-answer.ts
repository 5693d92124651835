import { isUtf8 } from 'node:buffer';

/** What a helper writes, with a status other than 0, where it keeps nothing for a server. */
const NOT_FOUND = 'credentials not found in native keychain';

/** saysNotFound tells whether a helper that failed says that it keeps nothing, as docker understands it. */
export function saysNotFound(output: string): boolean {
  return output.trim() === NOT_FOUND;
}

/**
 * readAnswer reads what a helper answers to `get`, `{"Username":…,"Secret":…}`, with names in either case as docker takes them. Null where
 * both are empty, which docker takes for no credential.
 */
export function readAnswer(
  output: Uint8Array,
): { readonly username: string; readonly secret: string } | null | 'unreadable' {
  if (!isUtf8(output)) return 'unreadable';
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(output).toString('utf8'));
  } catch {
    return 'unreadable'; // the parser's own words quote the text
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'unreadable';
  const fields = Object.entries(value);
  const of = (name: string): unknown =>
    fields.find(([key]) => key === name)?.[1] ??
    fields.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  const username = of('Username') ?? '';
  const secret = of('Secret') ?? '';
  if (typeof username !== 'string' || typeof secret !== 'string') return 'unreadable';
  if (username === '' && secret === '') return null;
  return username === '' || secret === '' ? 'unreadable' : { username, secret };
}
