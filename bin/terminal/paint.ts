import type { ChalkInstance } from 'chalk';
import { shortestImageWidth, shortImageText } from '../../src/whatif/report/index.ts';
import { cutEnd, cutMiddle, displayWidth, wrapWords } from '../../src/render/index.ts';
import { clean } from './clean.ts';
import { drawAny, drawSimple, GAP, type DrawnCell, type TableClass } from './table-lines.ts';

/** ViewOptions say what the terminal can show. */
export interface ViewOptions {
  readonly color: boolean;
  readonly columns: number;
  /** The policy file, or of a self-check the ledger, as it was given. */
  readonly file: string;
}

/** Cell is a text of a table with its colour; the colour is put on after the text is cut and aligned. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
  /** How the text gives way to a narrow column, where cutting its middle is not best. */
  readonly cut?: (max: number) => string;
  /** Columns down to which it gives way before any text of another column is cut. */
  readonly least?: number;
}

/** Column is a column of a table: right-aligned for numbers; `flex` shares out the room that is left. */
export interface Column {
  readonly heading: string;
  readonly align?: 'left' | 'right';
  /** Columns that it can give away when the terminal is narrow, as a part of the whole; absent for none. */
  readonly flex?: number;
  /** Its texts are lists or sentences, which are cut at their end. */
  readonly cutsEnd?: boolean;
}

const INDENT = 2;

/** Paint draws for one terminal: colours, tables, bars and wrapped sentences, never wider than its columns. */
export class Paint {
  readonly chalk: ChalkInstance;
  /** Between 40 and 200 columns. */
  readonly columns: number;
  readonly #Table: TableClass;
  readonly #whole: boolean;

  constructor(chalk: ChalkInstance, Table: TableClass, columns: number, whole = false) {
    this.chalk = chalk;
    this.#Table = Table;
    this.#whole = whole;
    this.columns = Math.max(40, Math.min(200, Number.isFinite(columns) ? Math.floor(columns) : 100));
  }

  heading(title: string, beside = ''): string {
    const room = this.columns - displayWidth(title) - 2;
    return `${this.chalk.bold(title)}${beside === '' || room < 8 ? '' : `  ${this.chalk.dim(cutMiddle(beside, room))}`}`;
  }

  /** A sentence over as many lines as it takes. */
  sentence(text: string, paint: (line: string) => string = String, indent = INDENT): string[] {
    return wrapWords(text, Math.min(this.columns, 110) - indent).map(
      (line) => `${' '.repeat(indent)}${paint(line)}`,
    );
  }

  /** Short texts side by side, over as many lines as they take; none is broken that fits on a line. */
  items(items: readonly string[], paint: (line: string) => string = String, indent = INDENT): string[] {
    const lines: string[] = [];
    for (const item of items.map((text) => cutMiddle(text, this.columns - indent))) {
      const joined = `${lines.at(-1) ?? ''}  ·  ${item}`;
      if (lines.length > 0 && displayWidth(joined) <= this.columns - indent) lines[lines.length - 1] = joined;
      else lines.push(item);
    }
    return lines.map((line) => `${' '.repeat(indent)}${paint(line)}`);
  }

  /** One line of a text that may be long: its end is cut off. */
  line(text: string, indent = INDENT): string {
    return `${' '.repeat(indent)}${cutEnd(text, this.columns - indent)}`;
  }

  /** A bar of `share` (0 to 1) of `width` columns; what is there shows at least an eighth of a column. */
  bar(share: number, width: number): string {
    const eighths = Math.min(width * 8, Math.max(share > 0 ? 1 : 0, Math.round(share * width * 8)));
    return `${'█'.repeat(Math.floor(eighths / 8))}${['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8]}`;
  }

  /**
   * A table without borders and without wrapped cells; too much text is cut in the middle. `widths` are those of `widthsOf` over all tables
   * that are to stand in line; without them only the rows count.
   */
  table(
    columns: readonly Column[],
    rows: readonly (readonly Cell[])[],
    indent = INDENT,
    widths: readonly number[] = this.widthsOf(columns, rows, indent),
  ): string[] {
    const headings = columns.map(({ heading }): Cell => ({ text: heading, paint: this.chalk.dim }));
    const all = columns.some(({ heading }) => heading !== '') ? [headings, ...rows] : rows;
    const cells = all.map((row) =>
      row.map(({ text, paint = String, cut }, i): DrawnCell => {
        const width = widths[i] ?? 0;
        const shorten = columns[i]?.cutsEnd === true ? cutEnd : cutMiddle;
        const shown = shorten((this.#whole ? null : cut?.(width)) ?? text, width);
        return { shown, painted: paint(shown) };
      }),
    );
    const lines = drawSimple(cells, columns, widths) ?? drawAny(this.#Table, cells, columns, widths);
    return lines.map((line) => `${' '.repeat(indent)}${line.trimEnd()}`);
  }

  /** The widths that columns get over these rows, so that a line fits the terminal. */
  widthsOf(columns: readonly Column[], rows: readonly (readonly Cell[])[], indent = INDENT): number[] {
    const natural = columns.map(({ heading }, i) =>
      Math.max(1, displayWidth(heading), ...rows.map((row) => displayWidth(row[i]?.text ?? ''))),
    );
    if (this.#whole) return natural;
    let over =
      natural.reduce((sum, width) => sum + width, 0) + GAP * (columns.length - 1) + indent - this.columns;
    const widths = [...natural];
    // What has a shorter form gives way to it first; then a column in turn gives what it has above its fair share, the widest first.
    const least = columns.map(({ heading }, i) =>
      Math.max(
        6,
        displayWidth(heading),
        ...rows.map((row) => row[i]?.least ?? displayWidth(row[i]?.text ?? '')),
      ),
    );
    for (const floors of [least, columns.map(() => 6)]) {
      while (over > 0) {
        const widest = widestOf(columns, widths, floors);
        if (widest === -1) break;
        widths[widest] = (widths[widest] ?? 0) - 1;
        over -= 1;
      }
    }
    return widths;
  }
}

/** The column with the most above its fair share that is still wider than its floor; -1 where none is. */
function widestOf(columns: readonly Column[], widths: readonly number[], floors: readonly number[]): number {
  const shareOf = (i: number): number => (widths[i] ?? 0) / (columns[i]?.flex ?? 1);
  return columns.reduce((best, { flex }, i) => {
    if (flex === undefined || (widths[i] ?? 0) <= (floors[i] ?? 0)) return best;
    return best === -1 || shareOf(i) > shareOf(best) ? i : best;
  }, -1);
}

/**
 * openPaint loads what draws; nothing of it is loaded before there is something to draw. With `whole`, tables are as wide as
 * their texts: for lists that go to a file or another program, where a name that is cut is found no more.
 */
export async function openPaint({
  color,
  columns,
  whole = false,
}: Pick<ViewOptions, 'color' | 'columns'> & { readonly whole?: boolean }): Promise<Paint> {
  const [{ Chalk }, { default: Table }] = await Promise.all([import('chalk'), import('cli-table3')]);
  return new Paint(new Chalk({ level: color ? 1 : 0 }), Table, columns, whole);
}

/** imageCell is an image name that gives up its digest before its name. */
export function imageCell(image: string): Cell {
  const fit = (max: number): string => clean(shortImageText(image, max));
  return { text: fit(200), cut: fit, least: shortestImageWidth(image) };
}
