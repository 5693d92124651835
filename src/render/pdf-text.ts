import { printable } from '../base/index.ts';

/** What the fonts of every PDF reader carry beyond Latin-1: the rest of the encoding WinAnsi. */
const BEYOND = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const UNMAPPED = new RegExp(`[^\\x20-\\x7e\\xa1-\\xac\\xae-\\xff${BEYOND}]`, 'gu');

/**
 * pdfText makes foreign text fit for a PDF in the standard fonts: on one line, at most `max` characters, and whatever the fonts
 * have no form for as a visible `\u` escape, so that nothing is lost and no two names look alike.
 */
export function pdfText(text: string, max = 400): string {
  return printable(text.normalize('NFC').replace(UNMAPPED, escaped), max);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
