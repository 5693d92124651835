import { Composer, LineCounter, Parser, Lexer, isScalar, type CST, type Document } from 'yaml';
import { explainForeign, syntaxFaults } from '../syntax/index.ts';
import type { Problem } from './problems.ts';
import type { RuleId } from './rules/catalogue.ts';
import type { Path } from './paths.ts';
import { placesIn, toPlace, type Places } from './places.ts';
import { findForbidden } from './syntax.ts';

/** MAX_POLICY_BYTES bounds a policy file; a real one has a few kilobytes. */
export const MAX_POLICY_BYTES = 262_144;
/** MAX_DEPTH is how deep a document may be nested; a policy needs six levels. */
export const MAX_DEPTH = 64;
const MAX_DOCUMENTS = 1000;

/** SourceDocument is one YAML document: its plain value, and the places of its fields. */
export interface SourceDocument {
  readonly value: unknown;
  readonly places: Places;
}

/** DoubtfulDocument is a document with the paths of the fields that it has twice. */
export interface DoubtfulDocument extends SourceDocument {
  readonly twice: readonly Path[];
}

/** SourceFile is a text taken apart: its documents that hold something, and the faults of the others. */
export interface SourceFile {
  readonly documents: readonly SourceDocument[];
  /** Every document as parsed, those with nothing but comments among them; empty when a limit was passed. */
  readonly parsed: readonly Document.Parsed[];
  readonly problems: readonly Problem[];
  /** Documents in which a field is written twice, and nothing else is wrong with their form: which of the two is meant is not known. */
  readonly doubtful: readonly DoubtfulDocument[];
  /** How many documents are left out for a fault of their form, the doubtful ones among them. */
  readonly unread: number;
}

/** DocumentLimits bound a text, and say what it is. */
export interface DocumentLimits {
  readonly bytes: number;
  readonly documents: number;
  /** As sentences name it: `policy file`. */
  readonly what: string;
}

const POLICY_FILE: DocumentLimits = {
  bytes: MAX_POLICY_BYTES,
  documents: MAX_DOCUMENTS,
  what: 'policy file',
};

/**
 * readDocuments takes a YAML or JSON text apart into documents. Bombs end here: the size is bounded, the depth and
 * the number of documents are watched while the text is read, and aliases (which a policy has no use for) are refused.
 */
export function readDocuments(whole: string, file: string, limits = POLICY_FILE): SourceFile {
  const problems: Problem[] = [];
  const lines = new LineCounter();
  const fault: SayFault = (rule, offset, message, hint) => {
    problems.push({ level: 'error', rule, path: '', message, hint, file, ...toPlace(lines, offset) });
  };
  if (Buffer.byteLength(whole) > limits.bytes) {
    fault(
      'size',
      0,
      `the file is larger than ${limits.bytes / 1024} KiB; a ${limits.what} has at most that`,
      'Split it, or check that it is the right file',
    );
    return { documents: [], parsed: [], problems, doubtful: [], unread: 1 };
  }
  const text = whole.startsWith('\uFEFF') ? whole.slice(1) : whole;
  const tokens = readTokens(text, lines, limits.documents);
  if (!Array.isArray(tokens)) {
    sayLimit(tokens, limits, fault);
    return { documents: [], parsed: [], problems, doubtful: [], unread: 1 };
  }
  const parsed = [...openComposer().compose(tokens)];
  if (saysForeign(text, parsed, fault)) return { documents: [], parsed, problems, doubtful: [], unread: 1 };
  const documents: SourceDocument[] = [];
  let torn = false;
  let unread = 0;
  const doubtful: DoubtfulDocument[] = [];
  for (const document of parsed) {
    // What follows an error without a line --- is not a document of its own.
    if (torn && document.directives?.docStart !== true) continue;
    const faults = [...document.errors, ...document.warnings];
    torn = faults.some(({ code }) => code !== 'TAG_RESOLVE_FAILED');
    for (const { rule, offset, message, hint } of syntaxFaults(text, lines, document))
      fault(rule, offset, message, hint);
    if (faults.length > 0) unread += 1;
    if (faults.length > 0 || document.contents === null) continue;
    if (isScalar(document.contents) && document.contents.value === null) continue; // only comments between two ---
    const forbidden = findForbidden(document.contents, lines);
    for (const { rule, offset, message, hint } of forbidden) fault(rule, offset, message, hint);
    if (forbidden.length > 0) unread += 1;
    if (forbidden.some(({ rule }) => rule !== 'duplicate-field')) continue;
    const read = {
      value: document.toJS({ maxAliasCount: 0 }) as unknown,
      places: placesIn(file, document, lines),
    };
    if (forbidden.length === 0) documents.push(read);
    else doubtful.push({ ...read, twice: forbidden.map(({ path }) => path) });
  }
  return { documents, parsed, problems, doubtful, unread };
}

/** Whether a text with faults is something else, which is then said instead of them. */
function saysForeign(text: string, parsed: readonly Document.Parsed[], say: SayFault): boolean {
  const foreign = parsed.some(({ errors }) => errors.length > 0) ? explainForeign(text) : null;
  if (foreign !== null) say('syntax', foreign.offset, foreign.message, foreign.hint);
  return foreign !== null;
}

/** Notes a fault of the text at an offset. */
type SayFault = (rule: RuleId, offset: number, message: string, hint: string | null) => void;

function openComposer(): Composer {
  return new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false, // else !!binary would make bytes of a text
    stringKeys: true,
    uniqueKeys: false, // found in syntax.ts: here it would take the square of the number of keys
    prettyErrors: false,
    logLevel: 'silent',
  });
}

/** Says which limit a text passes. */
function sayLimit({ rule, offset }: PassedLimit, limits: DocumentLimits, say: SayFault): void {
  if (rule === 'depth')
    say(
      rule,
      offset,
      `the document is nested deeper than ${MAX_DEPTH} levels; a policy needs six`,
      'Check that it is the right file',
    );
  else
    say(
      rule,
      offset,
      `the file holds more than ${limits.documents} documents; that many are read at most`,
      'Split it into several files',
    );
}

/** Which limit a text passes, and where. */
interface PassedLimit {
  readonly rule: 'depth' | 'documents';
  readonly offset: number;
}

/**
 * The tokens of the text, or the limit that it passes. The parser is a loop over the lexer with a stack of its own,
 * so that the depth can be watched as it grows: nothing recursive runs on a text that is too deep.
 */
function readTokens(text: string, lines: LineCounter, most: number): CST.Token[] | PassedLimit {
  const tokens: CST.Token[] = [];
  const parser = new Parser(lines.addNewLine);
  let documents = 0;
  lines.addNewLine(0);
  const take = (token: CST.Token): void => {
    if (token.type === 'document') documents += 1;
    tokens.push(token);
  };
  for (const lexeme of new Lexer().lex(text)) {
    const before = parser.offset;
    for (const token of parser.next(lexeme)) take(token);
    if (parser.stack.length > MAX_DEPTH) return { rule: 'depth', offset: before };
    if (documents > most) return { rule: 'documents', offset: before };
  }
  for (const token of parser.end()) take(token);
  return documents > most ? { rule: 'documents', offset: parser.offset } : tokens;
}
