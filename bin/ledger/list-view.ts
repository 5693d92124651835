import type { LedgerRow } from '../../src/ledger/index.ts';
import { shortTime } from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import { imageCell, openPaint, type ViewOptions } from '../terminal/paint.ts';

const COLUMNS = [
  { heading: 'row', align: 'right' },
  { heading: 'time (UTC)' },
  { heading: '' },
  { heading: 'namespace / pod', flex: 3 },
  { heading: 'image', flex: 4 },
  { heading: 'why', flex: 5, cutsEnd: true },
] as const;

/** Columns from which on a reason stands beside its row; on a narrower terminal it has a line of its own. */
const WIDE = 150;

/** renderRows writes rows of the ledger for a person at a terminal, one on each line. On a narrow one the reason is below. */
export async function renderRows(
  rows: readonly LedgerRow[],
  options: Omit<ViewOptions, 'file'> & { readonly whole: boolean },
): Promise<string> {
  const paint = await openPaint(options);
  const { chalk } = paint;
  if (rows.length === 0) return `${chalk.dim('No row.')}\n`;
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
      { text: clean(reasonOf(row)), paint: row.allowed ? chalk.dim : String },
    ];
  });
  const whole = options.whole || options.columns >= WIDE;
  if (whole) return `${paint.table(COLUMNS, cells, 0).join('\n')}\n`;
  const [heading = '', ...lines] = paint.table(
    COLUMNS.slice(0, -1),
    cells.map((row) => row.slice(0, -1)),
    0,
  );
  const width = Math.max(3, ...rows.map(({ id }) => String(id).length));
  const told = lines.flatMap((line, i) => {
    const why = cells[i]?.at(-1);
    return why === undefined || why.text === ''
      ? [line]
      : [line, (why.paint ?? String)(paint.line(why.text, width + 2))];
  });
  return `${[heading, ...told].join('\n')}\n`;
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
