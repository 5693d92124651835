import { markdownCell, markdownTable, toYaml } from '../../src/render/index.ts';
import { imageText, shortestImageWidth } from '../../src/whatif/report/index.ts';
import { clean } from './clean.ts';
import { writeOutputs, type OutputTarget } from './output.ts';
import { openParts } from './parts.ts';
import type { Terminal } from './terminal.ts';
import { openPaint, type Cell, type Column, type Paint } from './paint.ts';
import { usesColor, type GlobalOptions } from './terminal.ts';

/** ANSWER_FORMATS are the forms of a list or an object that a service answers with. */
export const ANSWER_FORMATS = ['table', 'json', 'yaml', 'markdown'] as const;

/** AnswerFormat is one of them. */
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** Answer is what a service answered: the JSON goes out byte for byte. */
export interface Answer {
  readonly text: string;
  readonly body: unknown;
}

/** AnswerViews draw an answer for people; what they give has no newline at its end. */
export interface AnswerViews {
  readonly table: (paint: Paint) => readonly string[];
  readonly markdown: () => readonly string[];
}

/** writeAnswer writes an answer in every form that was asked for. */
export async function writeAnswer(
  targets: readonly OutputTarget<AnswerFormat>[],
  answer: Answer,
  views: AnswerViews,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<void> {
  const render = async (format: AnswerFormat, toStdout: boolean): Promise<string> => {
    switch (format) {
      case 'json':
        return `${answer.text}\n`;
      case 'yaml':
        return toYaml(answer.body);
      case 'markdown':
        return `${views.markdown().join('\n')}\n`;
      case 'table': {
        const color = toStdout && usesColor(terminal, globals, 'out');
        const whole = !(toStdout && terminal.tty.out);
        const paint = await openPaint({ color, columns: terminal.columns, whole });
        return `${views.table(paint).join('\n')}\n`;
      }
    }
  };
  await writeOutputs(targets, render, openParts(terminal), terminal);
}

/** ViewColumn is a column of a table in both of its forms. */
export interface ViewColumn<T> extends Column {
  /** The text of an item: plain, and of foreign origin. */
  readonly text: (item: T) => string;
  readonly paint?: (item: T, paint: Paint) => (text: string) => string;
  readonly cut?: (item: T) => (max: number) => string;
  readonly least?: (item: T) => number;
}

/** imageColumn has the names of images, which give up their digest and their registry before another text is cut. */
export function imageColumn<T>(flex: number, text: (item: T) => string): ViewColumn<T> {
  return {
    heading: 'image',
    flex,
    text,
    cut: (item) => (max) => imageText(text(item), max),
    least: (item) => shortestImageWidth(text(item)),
  };
}

/** flagText is the text of what is so, is not so, or is not known. */
export function flagText<T extends string | null>(
  value: boolean | null,
  texts: { readonly yes: T; readonly no: T; readonly unknown: T },
): T {
  if (value === null) return texts.unknown;
  return value ? texts.yes : texts.no;
}

/** tableLines draws items as a table for a terminal. */
export function tableLines<T>(
  paint: Paint,
  columns: readonly ViewColumn<T>[],
  items: readonly T[],
): readonly string[] {
  const rows = items.map((item) =>
    columns.map((column): Cell => {
      const cut = column.cut?.(item);
      return {
        text: clean(column.text(item)),
        ...(column.paint !== undefined && { paint: column.paint(item, paint) }),
        ...(cut !== undefined && { cut: (max: number) => clean(cut(max)) }),
        ...(column.least !== undefined && { least: column.least(item) }),
      };
    }),
  );
  return paint.table(columns, rows, 0);
}

/** markdownLines draws items as a table in markdown. */
export function markdownLines<T>(columns: readonly ViewColumn<T>[], items: readonly T[]): readonly string[] {
  if (items.length === 0) return [];
  const headings = columns.map(({ heading, align }) => ({ heading, numeric: align === 'right' }));
  const cells = items.map((item) =>
    columns.map(({ text, align }) => (align === 'right' ? text(item) : markdownCell(text(item)))),
  );
  return [markdownTable(headings, cells)];
}

/** columnViews draws items as the same columns in both forms; where there is none, a sentence stands in place of the table. */
export function columnViews<T>(
  columns: readonly ViewColumn<T>[],
  items: readonly T[],
  none: string,
): AnswerViews {
  return {
    table: (paint) => (items.length === 0 ? [none] : tableLines(paint, columns, items)),
    markdown: () => markdownLines(columns, items),
  };
}
