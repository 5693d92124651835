/** What nobody sees: controls, direction marks, zero width, tags, half surrogates, what is not a character, letters that are blank. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u115f\u1160\u3164\uffa0\u2800\p{Noncharacter_Code_Point}]|\p{Variation_Selector}/gu;

/** What most values are, and stays as it is. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** isPlainLine says whether a text is one line of visible ASCII with single blanks, so that there is nothing to clean. */
export function isPlainLine(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * oneLine makes a value that comes from outside one line of what can be seen, in one normal form, cut to `max` characters with an
 * ellipsis; empty where nothing of it can be seen.
 */
export function oneLine(value: string, max: number): string {
  if (value.length <= max && isPlainLine(value)) return value;
  // Nothing longer than this is looked at, so that a value of megabytes costs nothing; NFC can shorten what is kept.
  const seen = value
    .slice(0, max * 8)
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .trim();
  if (seen.length <= max) return seen;
  const cut = seen.slice(0, max - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`; // no half of a pair is left at the end
}
