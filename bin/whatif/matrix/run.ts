import { matrixOf, type Matrix, type MatrixLine } from '../../../src/advice/index.ts';
import { formatCount, markdownCell, markdownTable } from '../../../src/render/index.ts';
import { checkStdin, readOnePolicy } from '../../files/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openPaint } from '../../terminal/paint.ts';
import { openParts } from '../../terminal/parts.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import type { Given } from '../given.ts';
import type { MatrixOptions } from './index.ts';
import { readPopulation } from './read.ts';
import { headOf } from './head.ts';
import { matrixPage } from './page.ts';

/** runMatrix is `ipo whatif matrix`. */
export async function runMatrix(
  { options, stray }: Given<MatrixOptions>,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const [strange] = stray;
  if (strange !== undefined)
    throw new UsageError(`${strange} has no effect with ipo whatif matrix`, 'Leave it out');
  const { base: path, ledger } = options;
  const targets = parseOutputs(options.output ?? [], ['table', 'json', 'markdown', 'html'], 'table', [
    path,
    ledger,
  ]);
  checkStdin([path, ledger, options.tokenStdin === true ? '-' : undefined]);
  const parts = openParts(terminal);
  const base = path === undefined ? null : (await readOnePolicy(path, parts)).policy;
  const population = await readPopulation(options, base?.spec ?? null, parts, terminal, globals);
  const matrix = matrixOf(population, base);
  const render = (
    format: 'table' | 'json' | 'markdown' | 'html',
    toStdout: boolean,
  ): string | Promise<string> => {
    if (format === 'json') return `${JSON.stringify(matrix)}\n`;
    if (format === 'markdown') return toMarkdown(matrix);
    if (format === 'html') return matrixPage(matrix);
    return toTable(matrix, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      whole: !(toStdout && terminal.tty.out),
    });
  };
  await writeOutputs(targets, render, parts, terminal);
  return EXIT.done;
}

const HEADINGS = ['field', 'value', 'would deny', 'workloads', 'images', 'would allow', 'undecided'] as const;

function cellsOf({ field, value, current, would_deny, would_allow, undecided }: MatrixLine): string[] {
  return [
    field.replace('spec.', ''),
    current ? `${value} (now)` : value,
    ...[would_deny.rows, would_deny.workloads, would_deny.images, would_allow.rows, undecided.rows].map(
      formatCount,
    ),
  ];
}

function toMarkdown(matrix: Matrix): string {
  const columns = HEADINGS.map((heading, i) => ({ heading, numeric: i > 1 }));
  const rows = matrix.items.map((item) =>
    cellsOf(item).map((text, i) => (i > 1 ? text : markdownCell(text))),
  );
  return `${markdownCell(headOf(matrix))}\n\n${markdownTable(columns, rows)}\n`;
}

async function toTable(
  matrix: Matrix,
  view: { color: boolean; columns: number; whole: boolean },
): Promise<string> {
  const paint = await openPaint(view);
  // What the base has changes nothing, and a column without a figure says nothing: both take the width of the values.
  const tried = matrix.items.filter(({ current }) => !current).map(cellsOf);
  const shown = HEADINGS.map((_, i) => i <= 4 || tried.some((cells) => cells[i] !== '0'));
  const columns = HEADINGS.map((heading, i) => ({
    heading,
    ...(i > 1 && { align: 'right' as const }),
    ...(i === 1 && { flex: 1 }),
  })).filter((_, i) => shown[i]);
  const rows = tried.map((cells) => cells.filter((_, i) => shown[i]).map((text) => ({ text: clean(text) })));
  return `${[
    ...paint.sentence(clean(headOf(matrix)), String, 0),
    ...matrix.notes.flatMap((note) => paint.sentence(clean(note), String, 0)),
    '',
    ...paint.table(columns, rows, 0),
  ].join('\n')}\n`;
}
