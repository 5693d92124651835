import type { Part, Place } from './places.ts';

/** CommonDocument is one document: its plain value, and where its parts stand. */
export interface CommonDocument {
  readonly value: Readonly<Record<string, unknown>>;
  readonly root: Part;
}

interface Read {
  readonly value: unknown;
  readonly part: Part;
}

/** A longer text is worth loading the parser for; so is one that is nested deeper than a policy is. */
const MAX_CHARACTERS = 65_536;
const MAX_NESTED = 16;

/** Tabs, line ends of other systems, and whatever else a parser of YAML looks at twice. */
const STRANGE = /[^\n\u0020-\u007e\u00a1-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\ud7ff]/;
const NOTHING = /^ *(?:#.*)?$/;
const FIELD = /^([A-Za-z][A-Za-z0-9_./-]*):(?: +(.*))?$/;
const COMMENT = /(?:^| +)#.*$| +$/;
const QUOTED = /^(?:'([^']*)'|"([^"\\]*)")(?: +#.*| *)$/;
const EMPTY_MAPPING = /^\{\}(?: +#.*| *)$/;
const FLOW_LIST = /^\[(.*)\](?: +#.*| *)$/;
const FLOW_ITEM = / *(?:([A-Za-z][A-Za-z0-9_./-]*)|'([^']*)'|"([^"\\]*)") *(,|$)/y;
const NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;
const HOURS = /^[0-9]{1,9}h$/;
/** Words without quotes that are not texts, here or in YAML 1.1, which kubectl and Helm read. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?[0-9]+)$/i;

/** Thrown where the text is in another form. */
class OtherForm extends Error {}

/**
 * readCommonForm reads a text in the form that policies are written in: mappings and lists by indentation, plain or quoted texts on one
 * line, blocks with `|`, flow lists of words, comments. It gives exactly what the YAML parser gives, and null for every other
 * text, also for one with a fault, so that the parser has to be loaded for those only. That takes as long as the rest of a
 * short command.
 */
export function readCommonForm(text: string): readonly CommonDocument[] | null {
  if (text.length > MAX_CHARACTERS || STRANGE.test(text)) return null;
  try {
    return new CommonForm(text).documents();
  } catch (error) {
    if (error instanceof OtherForm) return null;
    throw error;
  }
}

class CommonForm {
  readonly #lines: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  documents(): CommonDocument[] {
    const documents: CommonDocument[] = [];
    for (;;) {
      const line = this.#next();
      if (line === null) return documents;
      if (line === '---') this.#at += 1;
      else {
        const { value, part } = this.#mapping(0);
        documents.push({ value: value as CommonDocument['value'], root: part });
        const end = this.#next();
        if ((end !== null && end !== '---') || documents.length > 100) throw new OtherForm();
      }
    }
  }

  /** The next line that holds something; null at the end. */
  #next(): string | null {
    for (; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#lines[this.#at] as string;
      if (!NOTHING.test(line)) return line;
    }
    return null;
  }

  #place(column: number): Place {
    return { line: this.#at + 1, column: column + 1 };
  }

  /** A mapping whose fields begin in a column; the first stands on this line, maybe behind a dash. */
  #mapping(indent: number): Read {
    this.#depth += 1;
    if (this.#depth > MAX_NESTED) throw new OtherForm();
    const value: Record<string, unknown> = {};
    const fields = new Map<string, { name: Place; part: Part }>();
    const start = this.#place(indent);
    for (let line = this.#lines[this.#at] as string | null; line !== null; line = this.#next()) {
      if (fields.size > 0) {
        const column = columnOf(line);
        if (column < indent || line === '---') break;
        if (column > indent) throw new OtherForm();
      }
      const [, name, rest = ''] = FIELD.exec(line.slice(indent)) ?? [];
      if (name === undefined || fields.has(name) || WORDS.test(name)) throw new OtherForm();
      const place = this.#place(indent);
      const read = this.#field(indent, rest, line.length - rest.length);
      value[name] = read.value;
      fields.set(name, { name: place, part: read.part });
    }
    this.#depth -= 1;
    return { value, part: { ...start, fields } };
  }

  /** What stands behind the name of a field, or below it. */
  #field(indent: number, rest: string, column: number): Read {
    if (rest.replace(COMMENT, '') !== '') return this.#inline(rest, column, indent);
    const place = this.#place(column);
    this.#at += 1;
    const below = this.#next();
    const at = below === null ? -1 : columnOf(below);
    if (below !== null && below.startsWith('- ', at) && at >= indent) return this.#list(at);
    return at > indent ? this.#mapping(at) : { value: null, part: place };
  }

  #list(indent: number): Read {
    const value: unknown[] = [];
    const items: Part[] = [];
    const start = this.#place(indent);
    for (let line = this.#next(); line !== null; line = this.#next()) {
      const column = columnOf(line);
      if (column > indent) throw new OtherForm();
      if (column < indent || !line.startsWith('- ', indent)) break;
      const [rest = ''] = /[^ ].*$/.exec(line.slice(indent + 1)) ?? [];
      const at = line.length - rest.length;
      if (rest === '' || rest.startsWith('#') || rest.startsWith('- ')) throw new OtherForm();
      const read = FIELD.test(rest) ? this.#mapping(at) : this.#inline(rest, at, indent);
      value.push(read.value);
      items.push(read.part);
    }
    return { value, part: { ...start, items } };
  }

  /** A value on this line, or a block that begins here. */
  #inline(rest: string, column: number, indent: number): Read {
    const part = this.#place(column);
    if (rest === '|' || rest === '|-') return { value: this.#block(indent, rest === '|'), part };
    const flow = FLOW_LIST.exec(rest)?.[1];
    if (flow !== undefined) {
      const read = this.#flow(flow, column + 1);
      this.#at += 1;
      return { value: read.map(({ value }) => value), part: { ...part, items: read.map((one) => one.part) } };
    }
    const [quoted, single, double] = QUOTED.exec(rest) ?? [];
    const bare = (): unknown => (EMPTY_MAPPING.test(rest) ? {} : plain(rest.replace(COMMENT, '')));
    const value = quoted === undefined ? bare() : (single ?? double);
    this.#at += 1;
    return { value, part };
  }

  #flow(text: string, column: number): Read[] {
    const read: Read[] = [];
    for (let from = 0; text.slice(from).trim() !== '';) {
      FLOW_ITEM.lastIndex = from;
      const [whole, word, single, double, end] = FLOW_ITEM.exec(text) ?? [];
      if (whole === undefined || (word !== undefined && WORDS.test(word))) throw new OtherForm();
      const place = this.#place(column + from + whole.search(/[^ ]/));
      read.push({ value: word ?? single ?? double, part: place });
      from += whole.length;
      if (end === ',' && text.slice(from).trim() === '') throw new OtherForm();
    }
    return read;
  }

  #block(indent: number, endsInNewline: boolean): string {
    const first = this.#lines[this.#at + 1] ?? '';
    const column = columnOf(first);
    if (column <= indent || column === first.length) throw new OtherForm();
    const lines: string[] = [];
    let length = 0;
    for (this.#at += 1; ; this.#at += 1) {
      const line = this.#lines[this.#at];
      if (line === undefined) break;
      const at = columnOf(line);
      const isBlank = at === line.length;
      if (isBlank && at > column) throw new OtherForm();
      if (!isBlank && at < column) break;
      lines.push(line.slice(column));
      if (!isBlank) length = lines.length;
    }
    // Without a line end the file's last line is a case of its own.
    if (this.#at === this.#lines.length && this.#lines.at(-1) !== '') throw new OtherForm();
    return lines.slice(0, length).join('\n') + (endsInNewline ? '\n' : '');
  }
}

function columnOf(line: string): number {
  let column = 0;
  while (line.charCodeAt(column) === 32) column += 1;
  return column;
}

/** A text without quotes, a number or a boolean. */
function plain(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (NUMBER.test(text)) return Number(text);
  if (HOURS.test(text)) return text;
  if (!/^[A-Za-z][\u0020-\u007e]*$/.test(text) || /: |:$/.test(text) || WORDS.test(text))
    throw new OtherForm();
  return text;
}
