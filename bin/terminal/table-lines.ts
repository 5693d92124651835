import type TableClassValue from 'cli-table3';

/** TableClass is cli-table3. */
export type TableClass = typeof TableClassValue;

/** GAP is how many columns stand between two of a table. */
export const GAP = 2;

/** DrawnCell is a text that fits its column, and the same with its colour. */
export interface DrawnCell {
  readonly shown: string;
  readonly painted: string;
}

/** Characters that every terminal, and cli-table3, shows in one column. */
const SIMPLE = /^[ -~·…—▏▎▍▌▋▊▉█✓✗]*$/;

/**
 * drawSimple draws a table as cli-table3 does, where each character takes one column; null where one may take none or two. The first
 * table that cli-table3 draws takes as long as the replay of a thousand rows.
 */
export function drawSimple(
  rows: readonly (readonly DrawnCell[])[],
  columns: readonly { readonly align?: 'left' | 'right' }[],
  widths: readonly number[],
): readonly string[] | null {
  const fits = ({ shown }: DrawnCell, i: number): boolean =>
    shown.length <= (widths[i] ?? 0) && SIMPLE.test(shown);
  if (!rows.every((row) => row.length === columns.length && row.every(fits))) return null;
  if (rows.length === 0) return [''];
  return rows.map((row) =>
    row
      .map(({ shown, painted }, i) => {
        const padding = ' '.repeat((widths[i] ?? 0) - shown.length);
        return columns[i]?.align === 'right' ? padding + painted : painted + padding;
      })
      .join(' '.repeat(GAP)),
  );
}

/** drawAny draws any table with cli-table3. */
export function drawAny(
  Table: TableClass,
  rows: readonly (readonly DrawnCell[])[],
  columns: readonly { readonly align?: 'left' | 'right' }[],
  widths: readonly number[],
): readonly string[] {
  const table = new Table({
    chars: Object.fromEntries(BORDERS.map((border) => [border, border === 'middle' ? ' '.repeat(GAP) : ''])),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: [...widths],
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  for (const row of rows) table.push(row.map(({ painted }) => painted));
  return table.toString().split('\n');
}

const BORDERS = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
] as const;
