import { parseTime, type Digest } from '../base/index.ts';

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

/**
 * statesVex tells whether a signed OpenVEX document, bare or as the predicate of an in-toto statement, says that
 * this CVE has this status on this digest. Of several statements on one CVE the newest rules; a statement whose
 * products name other digests alone is about another image.
 */
export function statesVex(payload: Buffer, digest: Digest, cve: string, status: string): boolean {
  const document = parseJson(payload);
  if (document === null) return false;
  const inToto = typeof document.predicateType === 'string';
  if (inToto && !subjectNames(document, digest)) return false;
  const vex = inToto ? object(document.predicate) : document;
  let newest = -Infinity;
  let stated: unknown = null;
  for (const value of list(vex?.statements)) {
    const statement = object(value);
    if (statement === null || !isAbout(statement.vulnerability, cve)) continue;
    const texts = list(statement.products).map(nameOf);
    const named = texts.some(
      (text) => text.includes(digest) || text.includes(digest.slice('sha256:'.length)),
    );
    const namesOther = texts.some((text) => /[0-9a-f]{64}/i.test(text)); // `sha256:…`, `sha256%3A…` or a bare hash
    if (!named && (!inToto || namesOther)) continue;
    const at = timeOf(statement.timestamp) ?? timeOf(vex?.timestamp) ?? -Infinity;
    if (at >= newest) {
      newest = at;
      stated = statement.status;
    }
  }
  return stated === status;
}

function subjectNames(document: Json, digest: Digest): boolean {
  const hex = digest.slice('sha256:'.length);
  return list(document.subject).some((subject) => object(object(subject)?.digest)?.sha256 === hex);
}

/** What names a product: all of it but its parts, which are other things than the product that the statement is about. */
function nameOf(product: unknown): string {
  const { subcomponents: _parts, ...named } = object(product) ?? { text: product };
  return JSON.stringify(named);
}

/** `vulnerability` is a text in OpenVEX 0.0.1, later an object with a name, an `@id` and aliases. */
function isAbout(vulnerability: unknown, cve: string): boolean {
  if (vulnerability === cve) return true;
  const named = object(vulnerability);
  return named !== null && (named.name === cve || named['@id'] === cve || list(named.aliases).includes(cve));
}

function timeOf(value: unknown): number | null {
  const at = typeof value === 'string' ? parseTime(value) : NaN;
  return Number.isNaN(at) ? null : at;
}

function parseJson(payload: Buffer): Json | null {
  try {
    return object(JSON.parse(payload.toString('utf8')));
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
