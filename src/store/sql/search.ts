import { storableText } from './storable.ts';

/** containing gives the pattern of `like … escape '\'` for a part of a text that was stored in lower case. */
export function containing(part: string): string {
  return `%${storableText(part)
    .toLowerCase()
    .replaceAll(/[\\%_]/g, '\\$&')}%`;
}
