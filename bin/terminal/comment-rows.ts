import { MOST_MARKDOWN } from '../../src/whatif/report/index.ts';

/** roomBeside gives the characters that are left in a comment beside these blocks, and a little for their joints. */
export function roomBeside(blocks: readonly string[]): number {
  return MOST_MARKDOWN - 500 - blocks.reduce((used, block) => used + block.length + 2, 0);
}

/** fitRows gives the first rows of a markdown table that fit in `room` characters, heading apart. */
export function fitRows(rows: Iterable<readonly string[]>, room: number): (readonly string[])[] {
  const fitting: (readonly string[])[] = [];
  let used = 0;
  for (const row of rows) {
    used += rowLength(row);
    if (used > room) break;
    fitting.push(row);
  }
  return fitting;
}

/** rowLength counts the characters of a row as `markdownTable` writes it, newline included. */
export function rowLength(row: readonly string[]): number {
  return row.join(' | ').length + 5;
}
