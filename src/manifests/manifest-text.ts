import {
  Composer,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  Lexer,
  Parser,
  type CST,
  type Document,
  visit,
  type ScalarTag,
} from 'yaml';
import { printable } from '../base/index.ts';
import { placesIn, type Place } from '../policy/index.ts';
import { firstFault } from '../syntax/index.ts';
import { splitJson } from './json-stream.ts';
import { ManifestError } from './manifest-error.ts';

/** MAX_MANIFEST_BYTES bounds a manifest file. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
/** MAX_DEPTH bounds how deep a document nests; a resource definition with its schema needs about sixty levels. */
const MAX_DEPTH = 256;
const MAX_DOCUMENTS = 10_000;
/** A piece of YAML is held in memory with a few hundred bytes, however short it is. */
const MAX_PIECES = 2_500_000;
const MAX_PIECES_OF_DOCUMENT = 1_000_000;
/** How often an alias may repeat what others repeat, as the YAML library counts it. */
const MAX_ALIASES = 100;
/** The places in a JSON document with more values are not looked for: it is cited by its first line. */
const MAX_PLACED_JSON = 250_000;

/** ManifestDocument is one document of a manifest that holds something. */
export interface ManifestDocument {
  /** From 1, as it stands in the file. */
  readonly number: number;
  readonly value: unknown;
  /** Line and column of a path, or of what is written nearest above it. */
  placeOf(path: readonly PropertyKey[]): Place;
}

/** `yes` and `on` are true to the API server's reader of YAML, so they must be here. */
const BOOLEAN: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:[yY]|[yY]es|YES|[oO]n|ON|[nN]|[nN]o|NO|[oO]ff|OFF)$/,
  resolve: (text: string): boolean => /^(?:y|yes|on)$/i.test(text),
};
/** Integers as that reader has them: octal behind a zero, binary, and with underscores. */
const INTEGER: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?(?:0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/,
  resolve: (text: string): number => {
    const plain = text.replaceAll('_', '');
    const digits = plain.replace(/^[-+]/, '');
    const size = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
    return plain.startsWith('-') ? -size : size;
  },
};
const OPTIONS = {
  version: '1.2' as const,
  schema: 'core',
  customTags: (tags) => [BOOLEAN, INTEGER, ...tags],
  merge: true,
  uniqueKeys: false, // looked for below: here it would take the square of the number of keys
  prettyErrors: false,
  logLevel: 'silent' as const,
} satisfies ConstructorParameters<typeof Composer>[0];

/** readManifestDocuments takes a stream of YAML or JSON documents apart, one at a time. Throws ManifestError. */
export function* readManifestDocuments(
  text: string,
  file: string,
): Generator<ManifestDocument, void, undefined> {
  const json = splitJson(text, MAX_DEPTH);
  if (json === null) {
    yield* readYaml(text, file);
    return;
  }
  for (const [i, { value, from, to, line, column, pieces }] of json.entries()) {
    if (i >= MAX_DOCUMENTS) throw tooMany(file, line);
    let document: Document.Parsed | undefined;
    const lines = new LineCounter();
    yield {
      number: i + 1,
      value,
      placeOf(path) {
        if (pieces > MAX_PLACED_JSON) return { line, column };
        document ??= [
          ...new Composer(OPTIONS).compose(new Parser(lines.addNewLine).parse(text.slice(from, to))),
        ][0];
        if (document === undefined) return { line, column };
        const place = placesIn(file, document, lines).of(path);
        return {
          line: place.line + line - 1,
          column: place.line === 1 ? place.column + column - 1 : place.column,
        };
      },
    };
  }
}

function* readYaml(text: string, file: string): Generator<ManifestDocument, void, undefined> {
  const lines = new LineCounter();
  let number = 0;
  for (const document of new Composer(OPTIONS).compose(readTokens(text, file, lines))) {
    number += 1;
    const fail = (message: string, offset: number, hint?: string): never => {
      const { line, col } = lines.linePos(Math.max(0, offset));
      throw new ManifestError(
        `document ${number}: ${message}`,
        { file, line: line || 1, column: col || 1 },
        hint,
      );
    };
    if (document.errors.length > 0) {
      const { message, hint, line, column } = firstFault(text, lines, document, true);
      throw new ManifestError(`document ${number}: ${message}`, { file, line, column }, hint);
    }
    if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
      continue;
    const twice = findRepeatedKey(document.contents);
    if (twice !== null)
      fail(`the field "${printable(twice.name, 60)}" is written twice`, twice.offset, 'Keep one of the two');
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      const dangling = findDanglingAlias(document);
      if (dangling !== null)
        fail(
          'an alias (*name) names no anchor before it',
          dangling,
          'Write the value out, or mark it with &name before this line',
        );
      fail(`aliases repeat each other more than ${MAX_ALIASES} times`, document.range[0]);
    }
    yield { number, value, placeOf: (path) => placesIn(file, document, lines).of(path) };
  }
}

/** The parser is a loop with a stack of its own: the depth is watched as it grows, and nothing recursive runs on it. */
function* readTokens(text: string, file: string, lines: LineCounter): Generator<CST.Token, void, undefined> {
  const parser = new Parser(lines.addNewLine);
  let documents = 0;
  let pieces = 0;
  let piecesOfDocument = 0;
  lines.addNewLine(0);
  const fail = (message: string, hint: string): never => {
    const { line, col } = lines.linePos(parser.offset);
    throw new ManifestError(
      `document ${documents + 1}: ${message}`,
      { file, line: line || 1, column: col || 1 },
      hint,
    );
  };
  const count = (token: CST.Token): CST.Token => {
    if (token.type !== 'document') return token;
    documents += 1;
    piecesOfDocument = 0;
    if (documents > MAX_DOCUMENTS) throw tooMany(file, lines.linePos(token.offset).line);
    return token;
  };
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield count(token);
    pieces += 1;
    piecesOfDocument += 1;
    if (parser.stack.length > MAX_DEPTH)
      fail(`nested deeper than ${MAX_DEPTH} levels`, 'Check that it is the right file');
    if (pieces > MAX_PIECES || piecesOfDocument > MAX_PIECES_OF_DOCUMENT)
      fail('too many values to read', 'Split the file');
  }
  for (const token of parser.end()) yield count(token);
}

function tooMany(file: string, line: number): ManifestError {
  return new ManifestError(
    `more than ${MAX_DOCUMENTS} documents; that many are read at most`,
    { file, line },
    'Split the file',
  );
}

function findRepeatedKey(root: unknown): { name: string; offset: number } | null {
  const open: unknown[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isPair(node)) open.push(node.value ?? undefined);
    else if (isMap(node)) {
      const seen = new Set<string>();
      for (const pair of node.items) {
        if (isScalar(pair.key) && pair.key.value !== '<<') {
          const name = String(pair.key.value);
          if (seen.has(name)) return { name, offset: pair.key.range?.[0] ?? 0 };
          seen.add(name);
        }
        if (pair.value !== null) open.push(pair.value);
      }
    } else if (isCollection(node)) {
      for (const item of node.items) if (item !== null && item !== undefined) open.push(item);
    }
  }
  return null;
}

function findDanglingAlias(document: Document.Parsed): number | null {
  const anchors = new Set<string>();
  let offset: number | null = null;
  visit(document, {
    Node(_key, node) {
      if ('anchor' in node && node.anchor !== undefined) anchors.add(node.anchor);
    },
    Alias(_key, alias) {
      if (anchors.has(alias.source)) return undefined;
      offset = alias.range?.[0] ?? document.range[0];
      return visit.BREAK;
    },
  });
  return offset;
}
