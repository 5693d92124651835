import type { LedgerRow } from '../../src/ledger/index.ts';
import { cutEnd } from '../../src/render/index.ts';
import { shortTime } from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import { imageCell, openPaint, type ViewOptions } from '../terminal/paint.ts';

const COLUMNS = [
  { heading: 'row', align: 'right' },
  { heading: 'time (UTC)' },
  { heading: '' },
  { heading: 'namespace / pod', flex: 3 },
  { heading: 'image', flex: 4 },
  { heading: 'why', flex: 5 },
] as const;

/** renderRows writes rows of the ledger for a person at a terminal, one on each line. */
export async function renderRows(
  rows: readonly LedgerRow[],
  options: Omit<ViewOptions, 'file'> & { readonly whole: boolean },
): Promise<string> {
  const paint = await openPaint(options);
  const { chalk } = paint;
  if (rows.length === 0) return `${chalk.dim('no rows')}\n`;
  const cells = rows.map((row) => {
    const { sign, color } = markOf(row);
    return [
      { text: String(row.id) },
      { text: shortTime(row.time), paint: chalk.dim },
      { text: sign, paint: chalk[color] },
      {
        text: clean(
          [row.namespace, row.pod].filter((part) => part !== null && part !== undefined).join('/') || '–',
        ),
      },
      row.image === null || row.image === undefined
        ? { text: '(the pod as a whole)', paint: chalk.dim }
        : imageCell(row.image),
      {
        text: clean(reasonOf(row)),
        cut: (max: number) => cutEnd(clean(reasonOf(row)), max),
        paint: row.allowed ? chalk.dim : String,
      },
    ];
  });
  return `${paint.table(COLUMNS, cells, 0).join('\n')}\n`;
}

function markOf(row: LedgerRow): { sign: string; color: 'red' | 'yellow' | 'green' } {
  if (!row.allowed) return { sign: '✗', color: 'red' };
  return row.break_glass === true || (row.label ?? null) !== null
    ? { sign: '!', color: 'yellow' }
    : { sign: '✓', color: 'green' };
}

function reasonOf(row: LedgerRow): string {
  const clock = row.clock_suspect === true ? '(clock suspect) ' : '';
  if (row.break_glass === true) return `${clock}break-glass: ${row.break_glass_reason ?? ''}`;
  const kind = (row.kind ?? 'review') === 'review' ? '' : `(${row.kind}) `;
  return `${clock}${kind}${row.reason}`;
}
