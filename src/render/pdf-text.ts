import { printable } from '../base/index.ts';

/** What is shown beyond Latin-1: marks, and the letters of European languages that look like no other (not ĸ, ŉ and ſ). */
const BEYOND = '€‚ƒ„…†‡ˆ‰‹‘’“”•–—˜™›\u0100-\u0137\u0139-\u0148\u014a-\u017e';
const UNSHOWN = new RegExp(`[^\\x20-\\x7e\\xa1-\\xac\\xae-\\xff${BEYOND}]`, 'gu');

const LAST = 0x2122;

/** shownCharacters gives the characters that are shown as they are, as code points in their order. */
export function shownCharacters(): readonly number[] {
  const all = Array.from({ length: LAST + 1 }, (_, codePoint) => codePoint);
  return all.filter((codePoint) => String.fromCodePoint(codePoint).replace(UNSHOWN, '') !== '');
}

/**
 * pdfText makes foreign text fit for a PDF: on one line, at most `max` characters, and whatever is not plain Latin as a visible `\u`
 * escape, so that nothing is lost and no two names look alike.
 */
export function pdfText(text: string, max = 400): string {
  return printable(text.normalize('NFC').replace(UNSHOWN, escaped), max);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
