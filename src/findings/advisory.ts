import { byCodeUnit, oneLine } from '../base/index.ts';

/** Advisory is what a scanner says of a vulnerability itself, whatever package has it. No decision reads it; it is for people. */
export interface Advisory {
  readonly title: string | null;
  /** An https address, or null. */
  readonly url: string | null;
  readonly cvss: Cvss | null;
}

/** Cvss is the rating of a vulnerability by one source. */
export interface Cvss {
  /** As the vector has it (`4.0`, `3.1`, `3.0`), `2.0` for a vector without one; null where only a score is known. */
  readonly version: string | null;
  /** 0 to 10, with one decimal. */
  readonly score: number;
  readonly vector: string | null;
  /** Who rated it (`nvd`, `redhat`, `ghsa`); empty where the scanner does not say. */
  readonly source: string;
}

/** RatedBy is what a report says of a rating, unchecked. */
export interface RatedBy {
  readonly source: unknown;
  readonly vector: unknown;
  readonly score: unknown;
}

/** MAX_RATINGS is how many ratings of a vulnerability are looked at. */
export const MAX_RATINGS = 100;
const MAX_TITLE = 300;
const MAX_URL = 500;
const MAX_VECTOR = 300;
const VECTOR =
  /^(?:CVSS:(\d\.\d)\/)?[A-Z][A-Za-z]{0,2}:[A-Za-z]{1,6}(?:\/[A-Z][A-Za-z]{0,2}:[A-Za-z]{1,6}){2,40}$/;
const VERSIONS: readonly (string | null)[] = ['4.0', '3.1', '3.0', '2.0', null];

/** toAdvisory checks what a report says of a vulnerability; what has a value that is not valid is left out. Null where nothing is left. */
export function toAdvisory(raw: {
  readonly title: unknown;
  readonly url: unknown;
  readonly ratings: readonly RatedBy[];
  /** Who gave the severity: its rating is the first choice. */
  readonly vendor: unknown;
}): Advisory | null {
  const title = textOf(raw.title, MAX_TITLE);
  const url = advisoryUrl(raw.url);
  const cvss = chooseCvss(raw.ratings, raw.vendor);
  return title === null && url === null && cvss === null ? null : { title, url, cvss };
}

/**
 * chooseCvss takes the rating of the source of the severity, else that of NVD, else the first source by name; of several of one source,
 * that of the newest version of CVSS.
 */
function chooseCvss(ratings: readonly RatedBy[], vendor: unknown): Cvss | null {
  const order = ({ source }: Cvss): number => {
    if (source === vendor) return 0;
    return source === 'nvd' ? 1 : 2;
  };
  const usable = ratings.slice(0, MAX_RATINGS).flatMap((rating) => toCvss(rating) ?? []);
  const [first] = usable.toSorted(
    (a, b) =>
      order(a) - order(b) ||
      byCodeUnit(a.source, b.source) ||
      VERSIONS.indexOf(a.version) - VERSIONS.indexOf(b.version),
  );
  return first ?? null;
}

function toCvss({ source, vector, score }: RatedBy): Cvss | null {
  // Zero stands in reports where nobody rated; a rating of nothing has a vector.
  if (typeof score !== 'number' || !(score >= 0 && score <= 10)) return null;
  const match = typeof vector === 'string' && vector.length <= MAX_VECTOR ? VECTOR.exec(vector) : null;
  if (match === null && score === 0) return null;
  const version = match === null ? null : (match[1] ?? '2.0');
  if (!VERSIONS.includes(version)) return null;
  const by = typeof source === 'string' && /^[a-z0-9][a-z0-9.@_-]{0,39}$/i.test(source) ? source : '';
  return { version, score: Math.round(score * 10) / 10, vector: match?.[0] ?? null, source: by };
}

/** Addresses that a parser would give back as they are: most. */
const PLAIN_URL =
  /^https:\/\/(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]\/[\w.~!$&()*+,;=:@/-]*(?:\?[\w.~!$&()*+,;=:@/?-]*)?$/;
const MAX_HOST = 253;

/** advisoryUrl gives an address that a person may be led to: https, without credentials, of a host with a name. Null for any other. */
export function advisoryUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL) return null;
  if (isPlainUrl(value)) return value;
  if (!/^https:\/\/[!-~]+$/.test(value)) return null;
  if (value.includes('\\') || !URL.canParse(value)) return null;
  const { username, password, hostname, port, href } = new URL(value);
  const isNamed = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(
    hostname,
  );
  if (username !== '' || password !== '' || port !== '' || !isNamed) return null;
  return href.length <= MAX_URL ? href : null;
}

/** A segment of dots would be resolved, and an encoded name of a host checked. */
function isPlainUrl(value: string): boolean {
  return (
    PLAIN_URL.test(value) &&
    value.indexOf('/', 8) - 8 <= MAX_HOST &&
    !value.includes('/.') &&
    !value.includes('xn--')
  );
}

function textOf(value: unknown, max: number): string | null {
  return typeof value === 'string' ? oneLine(value, max) || null : null;
}

/** FoundAt is where in an image a package was found. */
export interface FoundAt {
  /** What the scanner looked through: `nginx:1.27 (debian 13.4)`, `Node.js`, `app/server`. */
  readonly target: string | null;
  /** The file that says that the package is there. */
  readonly path: string | null;
  /** `sha256:…` of the layer: of the blob in the registry where the report has it, else of its content (diff id). */
  readonly layer: string | null;
}

const MAX_TARGET = 300;
const MAX_PATH = 500;

/** toFoundAt checks where a report says that a package was found; null where nothing is left. */
export function toFoundAt(raw: {
  readonly target: unknown;
  readonly path: unknown;
  readonly layer: unknown;
}): FoundAt | null {
  const target = textOf(raw.target, MAX_TARGET);
  const path = textOf(raw.path, MAX_PATH);
  const { layer } = raw;
  const isLayer = typeof layer === 'string' && /^sha256:[0-9a-f]{64}$/.test(layer);
  return target === null && path === null && !isLayer
    ? null
    : { target, path, layer: isLayer ? layer : null };
}
