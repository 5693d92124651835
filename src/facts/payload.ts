import { type Digest, parseStrictJson } from '../base/index.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * namesDigest tells whether a signed payload is about this digest: a cosign simple-signing document by its
 * `critical.image.docker-manifest-digest`, an in-toto statement by one of its subjects.
 */
export function namesDigest(payload: Buffer, digest: Digest): boolean {
  const document = parseJson(payload);
  if (document === null) return false;
  if (document.critical !== undefined) {
    return object(object(document.critical)?.image)?.['docker-manifest-digest'] === digest;
  }
  return subjectNames(document, digest);
}

/** statementPredicateType gives the predicate type of an in-toto statement, or null. */
export function statementPredicateType(payload: Buffer): string | null {
  const type = parseJson(payload)?.predicateType;
  return typeof type === 'string' ? type : null;
}

function subjectNames(document: Json, digest: Digest): boolean {
  const hex = digest.slice('sha256:'.length);
  return list(document.subject).some((subject) => object(object(subject)?.digest)?.sha256 === hex);
}

/** parseJson gives the object of a payload; null for what is none, or has a key twice: readers may disagree on what was signed. */
export function parseJson(payload: Buffer): Json | null {
  try {
    return object(parseStrictJson(payload.toString('utf8')));
  } catch {
    return null;
  }
}

function object(value: unknown): Json | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : null;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
