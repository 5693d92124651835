// oxlint-disable-next-line no-control-regex -- control characters are what is taken out here
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * printable makes foreign text safe to show on one line of a terminal or a report: control characters (escape
 * sequences among them), direction marks and invisible characters become visible `\u` escapes; a text over
 * `max` characters is cut with an ellipsis.
 */
export function printable(text: string, max = 200): string {
  const shown = text.replace(UNPRINTABLE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return shown.length > max ? `${shown.slice(0, max - 1)}…` : shown;
}
