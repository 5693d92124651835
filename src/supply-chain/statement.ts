import { isDigest, type Digest, parseStrictJson } from '../base/index.ts';

/** STATEMENT_TYPES are the in-toto statement layers that are read. */
const STATEMENT_TYPES = ['https://in-toto.io/Statement/v0.1', 'https://in-toto.io/Statement/v1'] as const;

/** IN_TOTO_PAYLOAD is the DSSE payload type of an in-toto statement; no other payload is one. */
export const IN_TOTO_PAYLOAD = 'application/vnd.in-toto+json';

/** MAX_SUBJECTS is how many things one statement may be about, as for Sigstore's own verifiers. */
export const MAX_SUBJECTS = 1024;

/** Hashes that one subject may be named by. */
const MAX_HASHES = 32;

type Json = Readonly<Record<string, unknown>>;

/** StatementSubject is one thing that a statement is about, by its hashes (algorithm → lowercase hex). */
export interface StatementSubject {
  readonly name: string;
  readonly digest: Readonly<Record<string, string>>;
}

/** Statement is an in-toto statement as its bytes say it; whether to believe it is another question. */
export interface Statement {
  readonly type: (typeof STATEMENT_TYPES)[number];
  readonly predicateType: string;
  readonly subjects: readonly StatementSubject[];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * parseStatement reads the payload of a DSSE envelope of the type IN_TOTO_PAYLOAD. Gives null for what is not a statement of a known layer:
 * not UTF-8, not JSON, another `_type`, no predicate type, no subject or over MAX_SUBJECTS.
 */
export function parseStatement(payload: Uint8Array): Statement | null {
  const document = parseJson(payload);
  if (document === null) return null;
  const type = STATEMENT_TYPES.find((known) => known === document._type);
  const { predicateType, subject } = document;
  if (type === undefined || typeof predicateType !== 'string' || predicateType === '') return null;
  if (!Array.isArray(subject) || subject.length === 0 || subject.length > MAX_SUBJECTS) return null;
  const subjects = subject.map(toSubject);
  if (subjects.includes(null)) return null;
  return { type, predicateType, subjects: subjects as StatementSubject[] };
}

/** parsePredicate gives the predicate of a statement's payload: any JSON value, or undefined where there is none. */
export function parsePredicate(payload: Uint8Array): unknown {
  return parseJson(payload)?.predicate;
}

/** statementNames tells whether one of the subjects is this digest, by its SHA-256; a name by itself never is. */
export function statementNames(statement: Statement, digest: Digest): boolean {
  if (!isDigest(digest)) return false;
  const hex = digest.slice('sha256:'.length);
  return statement.subjects.some((subject) => subject.digest.sha256 === hex);
}

function toSubject(value: unknown): StatementSubject | null {
  const subject = asObject(value);
  const digest = asObject(subject?.digest);
  if (subject === null || digest === null) return null;
  if (Object.keys(digest).length > MAX_HASHES) return null;
  const hashes = Object.entries(digest).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { name: typeof subject.name === 'string' ? subject.name : '', digest: Object.fromEntries(hashes) };
}

/** parseJson gives the object of JSON bytes; null for what is not UTF-8, not JSON, no object or has a key twice. */
export function parseJson(bytes: Uint8Array): Json | null {
  try {
    return asObject(parseStrictJson(decoder.decode(bytes)));
  } catch {
    return null;
  }
}

/** asObject gives a JSON value that is an object, else null. */
export function asObject(value: unknown): Json | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : null;
}
