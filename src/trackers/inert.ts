/** What nobody sees: controls, direction marks, zero width, tags, half surrogates, letters that are blank. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u115f\u1160\u3164\uffa0\u2800]|\p{Variation_Selector}/gu;

/** MAX_FOREIGN is how much of a foreign value is shown, in characters. */
export const MAX_FOREIGN = 200;

/**
 * foreign makes a value that comes from outside (a package, a version, an image's name or label) one line of what can be seen, in one
 * normal form, cut with an ellipsis. What a tracker's markup would do with the rest is the renderer's to undo.
 */
export function foreign(value: string, max: number = MAX_FOREIGN): string {
  // Nothing longer than this is looked at, so that a value of megabytes costs nothing; NFC can shorten what is kept.
  const seen = value
    .slice(0, max * 8)
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .trim();
  if (seen === '') return '–';
  if (seen.length <= max) return seen;
  const cut = seen.slice(0, max - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`; // no half of a pair is left at the end
}

/** isPlainId tells whether an id of a vulnerability may stand in a command or an address as it is. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(id);
}
