import { clean } from './clean.ts';
import type { Terminal } from './terminal.ts';
import { openPaint, type Column } from './paint.ts';

/**
 * renderRows draws rows of foreign texts as a table without borders, no wider than the terminal where stdout is one; `none`
 * stands for no rows.
 */
export async function renderRows(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  none: string,
  terminal: Pick<Terminal, 'columns' | 'tty'>,
): Promise<string> {
  if (rows.length === 0) return `${none}\n`;
  const paint = await openPaint({
    color: false,
    columns: terminal.columns,
    whole: !terminal.tty.out,
  });
  const cells = rows.map((row) => row.map((text) => ({ text: clean(text) })));
  return `${paint.table(columns, cells, 0).join('\n')}\n`;
}

/** shortMoment writes a time of the API to the minute: `2026-11-20 06:00`. */
export function shortMoment(time: string | null): string {
  return time === null ? '–' : time.slice(0, 16).replace('T', ' ');
}
