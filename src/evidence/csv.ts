import { formatTime, IpoError, parseTime } from '../base/index.ts';
import type { CellKind, Columns, RecordOf } from './records.ts';

/** csvHead writes the first line of a table. */
export function csvHead(columns: Columns): string {
  return `${Object.keys(columns).join(',')}\r\n`;
}

/** csvLine writes a record (RFC 4180). No cell begins so that a spreadsheet takes it for a formula; `readCsv` gives it back as it was. */
export function csvLine<C extends Columns>(columns: C, record: RecordOf<C>): string {
  let [line, separator] = ['', ''];
  // A table can have as many lines as the ledger has rows, so no list is made of the cells.
  for (const name in columns) {
    line += separator + toCell(columns[name] as CellKind, record[name]);
    separator = ',';
  }
  return `${line}\r\n`;
}

/** What a cell is not written with as it is; most are, and are looked through once. */
const SPECIAL = /[",\r\n]|^[=+\-@'\s]|\s$/;

function toCell(kind: CellKind, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'time') return formatTime(value as number);
  if (kind === 'flag') return value === true ? 'true' : 'false';
  if (kind === 'count') return String(value as number);
  const text = kind === 'list' ? (value as readonly string[]).join(' ') : (value as string);
  if (!SPECIAL.test(text)) return text;
  const safe = /^[=+\-@\t\r']/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A cell holds the sentence of a decision at most. */
const MAX_LINE = 1024 * 1024;

/**
 * readCsv reads a table that `csvLine` wrote, batch by batch. Throws IpoError `damaged` with file and line for anything else: another
 * head, another number of cells, a cell of another kind.
 */
export async function* readCsv<C extends Columns>(
  columns: C,
  file: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<RecordOf<C>[], void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const lines = new CsvLines(file);
  let isHead = true;
  const names = Object.entries(columns);
  const take = (found: readonly CsvRow[]): RecordOf<C>[] => {
    const records: RecordOf<C>[] = [];
    for (const { cells, line } of found) {
      if (isHead) {
        isHead = false;
        if (cells.join(',') !== names.map(([name]) => name).join(','))
          throw damaged(file, line, 'the columns are not those of this table');
        continue;
      }
      if (cells.length !== names.length)
        throw damaged(file, line, `the line has ${cells.length} cells, not ${names.length}`);
      const entries = names.map(
        ([name, kind], i) => [name, fromCell(kind, cells[i] ?? '', name, file, line)] as const,
      );
      records.push(Object.fromEntries(entries) as RecordOf<C>);
    }
    return records;
  };
  for await (const chunk of chunks) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw damaged(file, lines.line, 'the file is not UTF-8 text');
    }
    const records = take(lines.push(text));
    if (records.length > 0) yield records;
  }
  const records = take(lines.end());
  if (isHead) throw damaged(file, 1, 'the table has no head');
  if (records.length > 0) yield records;
}

interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
}

class CsvLines {
  readonly #file: string;
  #rest = '';
  line = 1;
  constructor(file: string) {
    this.#file = file;
  }

  push(text: string): CsvRow[] {
    const rows: CsvRow[] = [];
    const all = this.#rest + text;
    let at = 0;
    for (;;) {
      const end = lineEnd(all, at);
      if (end === -1) break;
      rows.push({ cells: this.#cells(all.slice(at, end)), line: this.line });
      this.line += 1;
      at = end + 2;
    }
    this.#rest = all.slice(at);
    if (this.#rest.length > MAX_LINE) throw damaged(this.#file, this.line, 'the line is longer than any');
    return rows;
  }

  end(): CsvRow[] {
    if (this.#rest !== '') throw damaged(this.#file, this.line, 'the file ends in the middle of this line');
    return [];
  }

  #cells(line: string): string[] {
    const cells: string[] = [];
    let at = 0;
    for (;;) {
      if (line[at] === '"') {
        let end = at + 1;
        while (end < line.length && !(line[end] === '"' && line[end + 1] !== '"'))
          end += line[end] === '"' ? 2 : 1;
        if (end >= line.length) throw damaged(this.#file, this.line, 'a quoted cell has no end');
        cells.push(line.slice(at + 1, end).replaceAll('""', '"'));
        at = end + 1;
        if (at === line.length) return cells;
        if (line[at] !== ',') throw damaged(this.#file, this.line, 'something follows a quoted cell');
        at += 1;
        continue;
      }
      const comma = line.indexOf(',', at);
      const cell = line.slice(at, comma === -1 ? line.length : comma);
      if (cell.includes('"')) throw damaged(this.#file, this.line, 'a quote stands inside a cell');
      cells.push(cell);
      if (comma === -1) return cells;
      at = comma + 1;
    }
  }
}

/** The end of the line that begins at a place: the next CR LF outside of quotes; -1 where it is not there yet. */
function lineEnd(text: string, from: number): number {
  let at = text.indexOf('\r\n', from);
  while (at !== -1) {
    let quotes = 0;
    for (
      let quote = text.indexOf('"', from);
      quote !== -1 && quote < at;
      quote = text.indexOf('"', quote + 1)
    )
      quotes += 1;
    if (quotes % 2 === 0) return at;
    at = text.indexOf('\r\n', at + 2);
  }
  return -1;
}

function fromCell(kind: CellKind, cell: string, name: string, file: string, line: number): unknown {
  if (kind === 'list') return cell === '' ? [] : unescaped(cell).split(' ');
  if (cell === '') return null;
  if (kind === 'text') return unescaped(cell);
  if (kind === 'flag') {
    if (cell !== 'true' && cell !== 'false') throw damaged(file, line, `${name} is not true or false`);
    return cell === 'true';
  }
  const value = kind === 'time' ? parseTime(cell) : Number(cell);
  const isSame =
    kind === 'time' ? !Number.isNaN(value) && formatTime(value) === cell : String(value) === cell;
  if (!isSame) throw damaged(file, line, `${name} is not a ${kind === 'time' ? 'time' : 'number'}`);
  return value;
}

function unescaped(cell: string): string {
  return /^'[=+\-@\t\r']/.test(cell) ? cell.slice(1) : cell;
}

function damaged(file: string, line: number, message: string): IpoError {
  return new IpoError('damaged', message, { place: { file, line } });
}
