/** Control and format characters (direction marks, zero width, soft hyphens, tags), line ends, half surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** What most texts are, and stays as it is. V8 makes the sets of characters above only for other texts, which takes a millisecond. */
const VISIBLE = /^[ -~]*$/;

/**
 * printable makes foreign text safe to show on one line of a terminal or a report: control characters (escape
 * sequences among them), direction marks and invisible characters become visible `\u` escapes; a text over
 * `max` characters is cut with an ellipsis.
 */
export function printable(text: string, max = 200): string {
  const shown = VISIBLE.test(text) ? text : text.replace(UNPRINTABLE, escaped);
  if (shown.length <= max) return shown;
  const cut = shown.slice(0, max - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`; // no half of a pair is left at the end
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
