/**
 * detached gives a copy of a text: one cut out of a block of lines would keep the whole block alive. By UTF-8, which
 * leaves plain text at a byte a letter, quick to compare; by UTF-16 where it holds half of a surrogate pair.
 */
export function detached(text: string): string {
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}
