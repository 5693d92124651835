import { Composer, CST, isCollection, isMap, isPair, isScalar, LineCounter, Parser, type Document, type Node } from 'yaml';
import type { Problem } from './problems.ts';

/** MAX_POLICY_BYTES bounds a policy file; a real one has a few kilobytes. */
export const MAX_POLICY_BYTES = 262_144;
const MAX_DEPTH = 64;
const MAX_DOCUMENTS = 1000;

/** Places finds where in a file a path of the document stands. */
export interface Places {
  readonly file: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** SourceDocument is one YAML document: its plain value, and the places of its fields. */
export interface SourceDocument {
  readonly value: unknown;
  readonly places: Places;
}

/**
 * readDocuments takes a YAML or JSON text apart into documents. Bombs end here: the size is bounded, nesting is
 * measured on tokens before anything recursive runs, and aliases (which a policy has no use for) are refused.
 */
export function readDocuments(text: string, file: string): { documents: SourceDocument[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const lines = new LineCounter();
  const fault = (rule: string, offset: number, message: string, hint: string | null = null): void => {
    const { line, col } = lines.linePos(Math.max(0, offset));
    problems.push({ level: 'error', rule, path: '', message, hint, file, line: line || 1, column: col || 1 });
  };
  if (Buffer.byteLength(text) > MAX_POLICY_BYTES) {
    fault('size', 0, `the file is larger than ${MAX_POLICY_BYTES / 1024} KiB, the most a policy file may have`);
    return { documents: [], problems };
  }
  const deep = tooDeep(text);
  if (deep !== null) {
    lines.addNewLine(0);
    for (let at = text.indexOf('\n'); at !== -1 && at < deep; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
    fault('depth', deep, `the document is nested deeper than ${MAX_DEPTH} levels`, 'A policy needs at most six');
    return { documents: [], problems };
  }
  const composer = new Composer({ uniqueKeys: true, merge: false, schema: 'core', version: '1.2', prettyErrors: false });
  const parsed = [...composer.compose(new Parser(lines.addNewLine).parse(text))];
  if (parsed.length > MAX_DOCUMENTS) {
    fault('documents', 0, `the file holds more than ${MAX_DOCUMENTS} documents`);
    return { documents: [], problems };
  }
  const documents: SourceDocument[] = [];
  for (const document of parsed) {
    for (const error of document.errors) {
      fault('syntax', error.pos[0], sentence(error.code, error.message), hintFor(error.code));
    }
    if (document.errors.length > 0 || document.contents === null) continue;
    const alias = firstAlias(document.contents);
    if (alias !== null) {
      fault('alias', alias.range?.[0] ?? 0, 'an alias (*name) is not accepted in a policy', 'Write the value out');
      continue;
    }
    if (isScalar(document.contents) && document.contents.value === null) continue; // only comments between two ---
    documents.push({ value: document.toJS({ maxAliasCount: 0 }), places: { file, document, lines } });
  }
  return { documents, problems };
}

/**
 * placeOf gives line and column (from 1) of a path of the document; the nearest parent that is written where the
 * path itself is not. For a field it is the place of its name.
 */
export function placeOf(places: Places, path: readonly PropertyKey[]): { line: number; column: number } {
  let node: unknown = places.document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined) break;
      offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isCollection(node)) {
      const item: unknown = node.items[Number(step)];
      if (!isNode(item)) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  const { line, col } = places.lines.linePos(offset);
  return { line: line || 1, column: col || 1 };
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && 'range' in value;
}

/** The offset at which nesting passes the limit, or null. The lexer below it is a loop, so depth costs nothing. */
function tooDeep(text: string): number | null {
  if (text.length < MAX_DEPTH) return null;
  let deepest: number | null = null;
  const measure = (root: CST.Token): void => {
    const open: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
    for (let next = open.pop(); next !== undefined && deepest === null; next = open.pop()) {
      const { token, depth } = next;
      if (depth > MAX_DEPTH) deepest = token.offset;
      else if ('value' in token && token.type === 'document' && token.value) open.push({ token: token.value, depth });
      else if ('items' in token) {
        for (const item of token.items) {
          if (item.key) open.push({ token: item.key, depth: depth + 1 });
          if (item.value) open.push({ token: item.value, depth: depth + 1 });
        }
      }
    }
  };
  for (const token of new Parser().parse(text)) {
    measure(token);
    if (deepest !== null) break;
  }
  return deepest;
}

function firstAlias(root: unknown): Node | null {
  const open: unknown[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isNode(node) && 'source' in node && node.constructor.name === 'Alias') return node;
    if (isPair(node)) open.push(node.value ?? undefined, node.key ?? undefined);
    else if (isCollection(node)) open.push(...node.items);
  }
  return null;
}

function sentence(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'the same field is written twice';
  const first = (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
  return first.charAt(0).toLowerCase() + first.slice(1);
}

function hintFor(code: string): string | null {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'Keep one of the two';
    case 'TAB_AS_INDENT':
      return 'Indent with spaces';
    case 'BAD_INDENT':
      return 'Line the fields of one level up under each other';
    default:
      return null;
  }
}
