import { printable } from '../base/index.ts';

/** No text can leave a span of code but through its fence, and a mention, a link or a tag inside one is dead. */
function fenced(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const padded = /^`|`$|^ .* $/.test(text) ? ` ${text} ` : text;
  return `${fence}${padded}${fence}`;
}

/** markdownCode writes foreign text as a code span in running text. An empty text has no span: it gives `–`. */
export function markdownCode(text: string, max = 200): string {
  const shown = printable(text.toWellFormed(), max);
  return shown.trim() === '' ? '–' : fenced(shown);
}

/**
 * markdownCell writes foreign text as a code span in a table, where a pipe ends a cell even inside a span: it is
 * escaped, or written as `\u007c` where a backslash of the text could take the escape away.
 */
export function markdownCell(text: string, max = 200): string {
  const shown = printable(text.toWellFormed(), max);
  const piped = shown.replaceAll('|', shown.includes('\\') ? '\\u007c' : '\\|');
  return piped.trim() === '' ? '–' : fenced(piped);
}

/**
 * markdownText writes a sentence of ours as running text: markup is escaped, and what a forge would link (mentions,
 * numbers of issues, addresses) is broken by a zero-width space.
 */
export function markdownText(text: string): string {
  return printable(text.toWellFormed(), Infinity)
    .replace(/[\\`*_[\]<>|~&{}!$^]/g, '\\$&')
    .replace(/[@#]|:(?=\/\/)|www(?=\.)/gi, '$&\u200b')
    .replace(/^(\s*\d*)([-+=]|(?<=\d)[.)])/, '$1\\$2');
}

/** MarkdownColumn is a column of a table: its heading and whether it holds numbers. */
export interface MarkdownColumn {
  readonly heading: string;
  readonly numeric?: boolean;
}

/** markdownTable writes a table. Cells must be markdown already, on one line. */
export function markdownTable(
  columns: readonly MarkdownColumn[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ heading }) => heading)),
    line(columns.map(({ numeric }) => (numeric ? '---:' : '---'))),
    ...rows.map(line),
  ].join('\n');
}
