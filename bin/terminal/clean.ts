import { printable } from '../../src/base/index.ts';

/**
 * clean makes foreign text safe for a terminal and for the log of a pipeline, which takes a line that begins with
 * `::word` for a command, whatever blanks stand before it, and `##` even in the middle of one.
 */
export function clean(text: string, max = 400): string {
  return printable(text.toWellFormed(), max)
    .replaceAll('##', '#\\u0023')
    .replace(/::(?=[a-z])/gi, ':\\u003a');
}
