import type { Sheet } from './pdf-sheet.ts';
import { pdfText } from './pdf-text.ts';
import { INK, type Ink } from './pdf-words.ts';

/** PdfColumn is a column of a table; `share` is its part of the width beside the others. */
export interface PdfColumn {
  readonly heading: string;
  readonly share: number;
  readonly align?: 'left' | 'right';
}

/** PdfCell is a text that breaks into lines, with a quieter one below it. */
export interface PdfCell {
  readonly text: string;
  readonly below?: string;
  readonly ink?: Ink;
  /** A circle before it, so that colour is never needed: how much of it is filled. */
  readonly filled?: 'all' | 'half' | 'none';
}

const SIZE = 8;
const STEP = 10;
const GAP = 8;
const PAD = 4;
const CIRCLE = 2.6;
/** What a circle takes of the width of its cell. */
const BESIDE = 10;
/** Characters of a cell; a hostile name must not fill a page. */
const LONGEST = 300;

/** The heading of a table. */
const HEAD = 12 + PAD;
/** A table of this height at most stays on one page. */
const SHORT = 190;

/** LaidRow is a row whose lines are broken. */
interface LaidRow {
  readonly height: number;
  readonly cells: readonly {
    readonly lines: readonly { readonly line: string; readonly ink: Ink }[];
    readonly width: number;
    readonly left: number;
    readonly align: 'left' | 'right';
    readonly cell: PdfCell;
  }[];
}

/** drawTable writes a table whose heading stands on every page that it reaches. A page cuts no row, and at least two stand on each. */
export function drawTable(
  sheet: Sheet,
  columns: readonly PdfColumn[],
  rows: readonly (readonly PdfCell[])[],
): void {
  const { doc, left } = sheet;
  const whole = columns.reduce((sum, { share }) => sum + share, 0);
  const widths = columns.map(({ share }) => (share / whole) * (sheet.width + GAP) - GAP);
  const lefts = widths.map((_, i) => left + widths.slice(0, i).reduce((sum, width) => sum + width + GAP, 0));

  const head = (repeated: boolean): void => {
    const { y } = sheet;
    const cells = (): void =>
      columns.forEach(({ heading, align }, i) => {
        const look = {
          width: widths[i] ?? 0,
          ...({ size: 7.5, ink: 'soft', font: 'bold', tag: 'Span' } as const),
          ...(align && { align }),
        } as const;
        sheet.group('TH', () => sheet.line(heading, lefts[i] ?? left, y, look));
      });
    // On a later page it only repeats what was read.
    if (repeated) sheet.decoration(cells);
    else sheet.group('TR', cells);
    ruleAt(y + 12);
    sheet.y = y + HEAD;
  };
  const ruleAt = (y: number): void => {
    sheet.decoration(() =>
      doc
        .moveTo(left, y)
        .lineTo(left + sheet.width, y)
        .lineWidth(0.5)
        .stroke(INK.line),
    );
  };

  const lay = (row: readonly PdfCell[]): LaidRow => {
    doc.font('plain').fontSize(SIZE);
    const cells = row.map((cell, i) => {
      const text = pdfText(cell.text, LONGEST);
      const below = cell.below === undefined ? '' : pdfText(cell.below, LONGEST);
      const indent = cell.filled === undefined ? 0 : BESIDE;
      const width = (widths[i] ?? 0) - indent;
      const lines = [
        ...sheet.wrap(text, width).map((line) => ({ line, ink: cell.ink ?? 'text' })),
        ...(below === '' ? [] : sheet.wrap(below, width).map((line) => ({ line, ink: 'soft' as const }))),
      ];
      return { lines, width, left: (lefts[i] ?? left) + indent, align: columns[i]?.align ?? 'left', cell };
    });
    return { cells, height: Math.max(...cells.map(({ lines }) => lines.length)) * STEP + PAD * 1.5 };
  };

  const drawRow = ({ cells, height }: LaidRow): void => {
    const { y } = sheet;
    sheet.group('TR', () => {
      for (const { lines, width, left: x, align, cell } of cells) {
        if (cell.filled !== undefined) circle(sheet, x - BESIDE + CIRCLE, y + SIZE / 2 + 0.8, cell);
        sheet.group('TD', () =>
          lines.forEach(({ line, ink }, i) =>
            sheet.line(line, x, y + i * STEP, { width: width + 1, size: SIZE, ink, align, tag: 'Span' }),
          ),
        );
      }
    });
    ruleAt(y + height - PAD);
    sheet.y = y + height;
  };

  const laid = rows.map(lay);
  const heightOf = (from: number, until?: number): number =>
    laid.slice(from, until).reduce((sum, { height }) => sum + height, 0);
  const short = heightOf(0) <= SHORT;
  sheet.room(HEAD + heightOf(0, short ? undefined : 2));
  sheet.group('Table', () => {
    head(false);
    laid.forEach((row, i) => {
      // The last row stands with the one before it.
      if (sheet.room(heightOf(i, i === laid.length - 2 ? undefined : i + 1))) head(true);
      drawRow(row);
    });
  });
}

function circle(sheet: Sheet, x: number, y: number, { filled, ink = 'text' }: PdfCell): void {
  const { doc } = sheet;
  const r = CIRCLE;
  sheet.decoration(() => {
    doc.circle(x, y, r).lineWidth(0.8);
    if (filled === 'all') doc.fillAndStroke(INK[ink], INK[ink]);
    else doc.stroke(INK[ink]);
    if (filled === 'half') doc.path(`M ${x} ${y - r} A ${r} ${r} 0 0 0 ${x} ${y + r} Z`).fill(INK[ink]);
  });
}
