/** The last code point that has a case; beyond it nothing is looked at. */
const LAST_CASED = 0x1_e943;

/** All code points that have a case, in one text; made where a pattern first asks for letters beyond ASCII. */
let cased: string | null = null;

/** foldedOf gives the code points that are one where case does not count, the given one among them. */
export function foldedOf(rune: number): readonly number[] {
  const char = String.fromCodePoint(rune);
  if (rune < 0x80) return [char, char.toLowerCase(), char.toUpperCase(), LONG_S, KELVIN].map(codeOf);
  // Both fold by the simple mappings of Unicode, whatever several letters a text would become.
  const same = (cased ??= allCased()).match(new RegExp(`\\u{${rune.toString(16)}}`, 'giu')) ?? [];
  return [rune, ...same.map(codeOf)];
}

const LONG_S = '\u017f';
const KELVIN = '\u212a';

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

function allCased(): string {
  let text = '';
  for (let code = 0; code <= LAST_CASED; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const char = String.fromCodePoint(code);
    if (/\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(char)) text += char;
  }
  return text;
}
