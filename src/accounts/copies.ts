/** Person is whose copies are rewritten: the name and the address as they stand in copies, either may be missing. */
export interface Person {
  readonly name: string | null;
  readonly email: string | null;
}

/**
 * withoutPerson rewrites a free text in which a person's address or name stands. An address is rewritten wherever it stands as
 * a whole, in any case. A name is rewritten where it is the whole text, and inside of a text when it has several words: one
 * of a single word could be any word (a policy `shop`, a person `shop`).
 */
export function withoutPerson(text: string, { name, email }: Person, replacement: string): string {
  if (name !== null && text === name) return replacement;
  let rewritten = text;
  if (email !== null) rewritten = replaceWhole(rewritten, email, replacement, 'giu', '[\\p{L}\\p{N}._%+@-]');
  if (name !== null && /\s/.test(name))
    rewritten = replaceWhole(rewritten, name, replacement, 'gu', '[\\p{L}\\p{N}_]');
  return rewritten;
}

/** withoutPersonIn does the same for every text of a JSON value; keys stay. */
export function withoutPersonIn(value: unknown, person: Person, replacement: string): unknown {
  if (typeof value === 'string') return withoutPerson(value, person, replacement);
  if (Array.isArray(value)) return value.map((entry) => withoutPersonIn(entry, person, replacement));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, withoutPersonIn(entry, person, replacement)]),
  );
}

/** A dot or dash right behind an address ends a sentence unless more of a word follows it. */
function replaceWhole(
  text: string,
  part: string,
  replacement: string,
  flags: string,
  inside: string,
): string {
  const pattern = new RegExp(
    `(?<!${inside})${part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![.%+@-]?[\\p{L}\\p{N}_])`,
    flags,
  );
  return text.replaceAll(pattern, () => replacement);
}
