import { printable } from '../base/index.ts';

/** Cause is the one mistake in the form of a document from which the faults that its parser found follow. Line and column are from 0. */
export interface Cause {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string;
}

const FIELD = /^("[^"]*"|'[^']*'|[A-Za-z0-9_./][A-Za-z0-9_./-]*) *:(?: +(.*))?$/;
const LIKE_FIELD = /^([A-Za-z][A-Za-z0-9]*)(?: *= *| +|:)([^\s:=].*)$/;
const CONFLICT = /^(?:<{7}|={7}|>{7})(?: |$)/;
const KEY_LINE = /^(?:-----(?:BEGIN|END) |[A-Za-z0-9+/]{16,}={0,2}$)/;

/**
 * causeOf finds the cause in a document that a YAML parser refused, given as its lines: what follows from it is not worth telling. Null
 * where it is none of those that are known; the parser's own first fault says more then. Without `quotes` no line is repeated, which may hold a
 * secret.
 */
export function causeOf(lines: readonly string[], quotes = true): Cause | null {
  const conflict = lines.findIndex((line) => CONFLICT.test(line));
  if (conflict !== -1)
    return causeAt(
      conflict,
      0,
      'an unresolved merge conflict of git stands here',
      'Keep one side, and take out the lines with <<<<<<<, ======= and >>>>>>>',
    );
  const template = withoutBlocks(lines).findIndex((line) => withoutQuoted(line).includes('{{'));
  if (template !== -1)
    return causeAt(
      template,
      lines[template]?.indexOf('{{') ?? 0,
      'a Helm template ({{ … }}) stands here; the file is read as plain YAML',
      'Render the chart first (helm template), and check the result',
    );
  return new Outline(lines, quotes).cause();
}

/** Follows the lines of a document by their indentation until one does not fit. */
class Outline {
  readonly #lines: readonly string[];
  readonly #quotes: boolean;
  /** The columns in which fields and dashes began, outermost first. */
  readonly #levels: number[] = [];
  /** Whether the last field or dash has nothing behind it, so that a deeper level may follow. */
  #isOpen = true;
  /** The last line of a value that was looked at as a whole. */
  #skipTo = -1;
  /** The field above: where it stands, whether it is the first of its level, and the levels that ended at it. */
  #above = { line: 0, column: 0, first: true, ended: [] as readonly number[] };
  /** Where the field stands whose block of text is read, or null. */
  #block: number | null = null;

  constructor(lines: readonly string[], quotes: boolean) {
    this.#lines = lines;
    this.#quotes = quotes;
  }

  cause(): Cause | null {
    for (const [at, line] of this.#lines.entries()) {
      const text = line.trim();
      if (at <= this.#skipTo || text === '' || text.startsWith('#')) continue;
      const indent = columnOf(line);
      // What the parser says of a tab, and of JSON, is clear.
      if (line[indent] === '\t' || (this.#levels.length === 0 && text.startsWith('{'))) return null;
      if (this.#block !== null) {
        if (indent > this.#block) continue;
        this.#block = null;
        if (KEY_LINE.test(text)) return causeAt(at, indent, ...OUTSIDE);
      }
      const cause = this.#look(at, indent, line.slice(indent).trimEnd());
      if (cause !== undefined) return cause;
    }
    return null;
  }

  /** Null ends the search without a cause. */
  #look(at: number, indent: number, text: string): Cause | null | undefined {
    let column = indent;
    let rest = text;
    for (; /^-(?: |$)/.test(rest); this.#isOpen = true) {
      const fault = this.#enter(at, column);
      if (fault !== null) return fault;
      const inner = rest.slice(1);
      column += 1 + columnOf(inner);
      rest = inner.trimStart();
    }
    const [, name, value = ''] = FIELD.exec(rest) ?? [];
    if (name !== undefined) {
      const fault = this.#enter(at, column);
      return fault ?? this.#value(at, column, value, column + rest.length - value.length);
    }
    if (rest === '') return undefined;
    if (rest === text && !KEY_LINE.test(rest)) {
      const [, meant, behind] = LIKE_FIELD.exec(rest) ?? [];
      if (meant !== undefined && behind !== undefined && this.#isBesideField(at, column))
        return causeAt(
          at,
          column,
          `behind the name of the field ${this.#quotes ? `${printable(meant, 60)} ` : ''}a colon and a space are missing`,
          `Write "${this.#quotes ? printable(`${meant}: ${behind}`, 120) : 'name: value'}"`,
        );
    }
    return this.#value(at, this.#levels.at(-1) ?? 0, rest, column);
  }

  /** Whether a field should stand here: one stands in the same column above, or on the next line. */
  #isBesideField(at: number, column: number): boolean {
    const next = this.#lines[at + 1] ?? '';
    return (
      this.#levels.includes(column) || (this.#isOpen && columnOf(next) === column && FIELD.test(next.trim()))
    );
  }

  /** Comes to a column in which a field or a dash begins. */
  #enter(at: number, column: number): Cause | null {
    const levels = this.#levels;
    const deepest = levels.at(-1);
    const deeper = deepest === undefined || column > deepest;
    if (deeper && deepest !== undefined && !this.#isOpen) return this.#tooDeep(at, column, deepest);
    const kept = deeper ? levels.length : levels.findLastIndex((level) => level <= column) + 1;
    const ended = levels.splice(kept);
    if (!deeper && levels.at(-1) !== column) return causeAt(at, column, ...outdented(levels.at(-1), deepest));
    if (deeper) levels.push(column);
    this.#above = { line: at, column, first: deeper, ended };
    return null;
  }

  /** Either this line stands too deep, or the one above not deep enough: what stands around them says which. */
  #tooDeep(at: number, column: number, deepest: number): Cause {
    const { line, first, ended, column: above } = this.#above;
    const next = this.#lines.slice(at + 1).find((one) => one.trim() !== '' && columnOf(one) <= column);
    const returns = next === undefined || columnOf(next) === deepest;
    if (!returns && (first || ended.includes(column)))
      return causeAt(
        line,
        above,
        'the line is indented less than the lines below that belong beside it',
        `Indent it by ${column} spaces, as the lines below`,
      );
    return causeAt(
      at,
      column,
      'the line is indented deeper than the field above, which has a value already',
      `Indent it by ${deepest} spaces, as the field above`,
    );
  }

  /** Looks at what stands behind a colon or a dash. */
  #value(at: number, field: number, value: string, column: number): Cause | null | undefined {
    this.#isOpen = value === '' || value.startsWith('#');
    if (/^[|>][-+0-9]*(?: +#.*)?$/.test(value)) this.#block = field;
    else if (value.startsWith('-----BEGIN ')) return causeAt(at, column, ...UNMARKED);
    else if (/^["'[{]/.test(value)) {
      const open = value.charAt(0);
      const close = CLOSES[open] ?? open;
      const end = this.#endOf(at, field, value, close);
      if (end === null)
        return causeAt(
          at,
          column,
          `the ${open} here is never closed`,
          close === open
            ? `Add the missing ${close} after the last letter`
            : `Add the missing ${close} after the last entry`,
        );
      this.#skipTo = end;
    }
    return undefined;
  }

  /** The line on which a quoted text, a list or a mapping in brackets ends; null where the next field comes before its end. */
  #endOf(at: number, field: number, value: string, close: string): number | null {
    const isQuote = close === value.charAt(0);
    const ends = (text: string): boolean => (isQuote ? text : withoutQuoted(text)).includes(close);
    if (ends(value.slice(isQuote ? 1 : 0))) return at;
    for (let i = at + 1; i < this.#lines.length; i += 1) {
      const line = this.#lines[i] ?? '';
      const text = line.trim();
      if (text === '' || text.startsWith(close)) {
        if (text !== '') return i;
        continue;
      }
      const isOutside = columnOf(line) <= field;
      if (isOutside || (close !== '}' && (FIELD.test(text) || text.startsWith('- ')))) return null;
      if (ends(line)) return i;
    }
    return null;
  }
}

const CLOSES: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

function causeAt(line: number, column: number, message: string, hint: string): Cause {
  return { line, column, message, hint };
}

const UNMARKED = [
  'a key stands here without | before it; its lines are read as one',
  'Write | behind the colon or dash, and the whole key on the lines below, indented',
] as const;

const OUTSIDE = [
  'a line of the key stands too far left; it belongs to the text below |',
  'Indent every line of the key by the same number of spaces, deeper than its field',
] as const;

function outdented(level: number | undefined, deepest: number): readonly [string, string] {
  const columns = level === undefined ? `${deepest}` : `${deepest} or ${level}`;
  return [
    'the indentation fits no level above; fields of one level begin in one column',
    `Indent it by ${columns} spaces, as the lines above`,
  ];
}

function columnOf(line: string): number {
  let column = 0;
  while (line[column] === ' ') column += 1;
  return column;
}

/** The lines with blocks of text left empty, which may hold anything. */
function withoutBlocks(lines: readonly string[]): readonly string[] {
  let block = -1;
  return lines.map((line) => {
    const column = columnOf(line);
    if (block !== -1 && (column > block || line.trim() === '')) return '';
    block = /(?:^|[:-] +)[|>][-+0-9]*(?: +#.*)?$/.test(line.trim()) ? column : -1;
    return line;
  });
}

/** A line without its quoted texts and its comment. */
function withoutQuoted(line: string): string {
  return line.replaceAll(/"[^"]*"|'[^']*'/g, '').replace(/(?:^| )#.*$/, '');
}
