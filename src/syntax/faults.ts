import { isCollection, type Document, type LineCounter, type YAMLError } from 'yaml';
import { causeOf } from './cause.ts';
import { explainForeign, explainSyntax } from './explain.ts';

/** SyntaxFault is a fault in the form of a document, in our words. */
export interface SyntaxFault {
  readonly rule: 'tag' | 'syntax';
  readonly offset: number;
  readonly message: string;
  readonly hint: string | null;
}

/**
 * syntaxFaults says the faults that the parser found in a document of a text: by their one cause where that is known, else in words and
 * without those that only follow from another. `quotes` allows the words of the text in what is said, which may be secrets.
 */
export function syntaxFaults(
  text: string,
  lines: LineCounter,
  { errors, warnings, contents }: Document.Parsed,
  quotes = true,
): readonly SyntaxFault[] {
  const all = [...errors, ...warnings];
  // In brackets the indentation means nothing: what is said of it follows from another fault.
  const inBrackets = isCollection(contents) && contents.flow === true;
  const others = inBrackets ? all.filter(({ code }) => code !== 'BAD_INDENT') : all;
  const faults = others.length > 0 ? others : all;
  const syntax = faults.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED');
  const first = Math.min(earliest(syntax), contents?.range?.[0] ?? Infinity);
  const cause = syntax.length === 0 ? null : causeIn(text, lines, first, quotes);
  // What stands behind all of them cannot have caused them. A fault begins on the line above that it is about.
  const last = lineOf(lines, latest(syntax)) + 1;
  if (cause !== null && lineOf(lines, cause.offset) <= last) return [{ rule: 'syntax', ...cause }];
  return upToTear(faults).map((error) => ({
    rule: error.code === 'TAG_RESOLVE_FAILED' ? 'tag' : 'syntax',
    offset: error.pos[0],
    ...explainSyntax(error, quotes),
  }));
}

/** Faults that concern the value in which they stand, and nothing behind it. */
const LOCAL: readonly string[] = [
  'TAG_RESOLVE_FAILED',
  'BAD_SCALAR_START',
  'BAD_DQ_ESCAPE',
  'NON_STRING_KEY',
];

/** The faults of a document up to the first behind which the parser has lost its place: the others follow from it. */
function upToTear(faults: readonly YAMLError[]): readonly YAMLError[] {
  const inOrder = faults.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const tear = inOrder.findIndex(({ code }) => !LOCAL.includes(code));
  return tear === -1 ? inOrder : inOrder.slice(0, tear + 1);
}

function earliest(faults: readonly YAMLError[]): number {
  return faults.reduce((least, { pos }) => Math.min(least, pos[0]), Infinity);
}

function latest(faults: readonly YAMLError[]): number {
  return faults.reduce((most, { pos }) => Math.max(most, pos[0]), 0);
}

/** The cause of a fault in the document around it, with its offset; null for none that is known. */
function causeIn(
  text: string,
  counter: LineCounter,
  offset: number,
  quotes: boolean,
): { readonly offset: number; readonly message: string; readonly hint: string } | null {
  const lines = text.split(/\r?\n/);
  const at = lineOf(counter, offset) - 1;
  const from = lines.findLastIndex((line, i) => i <= at && /^---( |$)/.test(line)) + 1;
  const end = lines.findIndex((line, i) => i > at && /^---( |$)/.test(line));
  const cause = causeOf(lines.slice(from, end === -1 ? undefined : end), quotes);
  if (cause === null) return null;
  const start = counter.lineStarts[from + cause.line] ?? 0;
  return { offset: start + cause.column, message: cause.message, hint: cause.hint };
}

function lineOf(lines: LineCounter, offset: number): number {
  return lines.linePos(Math.max(0, offset)).line || 1;
}

/** FirstFault is what is said of a document that cannot be read. Line and column count from 1. */
export interface FirstFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * firstFault says what keeps a document from being read: the text is something else, or has a known mistake, or what the parser found
 * first. Ask it only of a document with errors. `quotes` is as for syntaxFaults.
 */
export function firstFault(
  text: string,
  lines: LineCounter,
  document: Document.Parsed,
  quotes: boolean,
): FirstFault {
  const found =
    explainForeign(text) ?? syntaxFaults(text, lines, document, quotes).find(({ rule }) => rule === 'syntax');
  const offset = Math.max(0, found?.offset ?? 0);
  const { line, col } = lines.linePos(offset);
  return {
    line: line || 1,
    column: col || 1,
    message: found?.message ?? 'not readable as YAML or JSON',
    hint: found?.hint ?? undefined,
  };
}
