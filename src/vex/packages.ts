import { compareVersions, isInRange } from '../versions/index.ts';
import { matchArchitecture, matchDistribution, namespaceOf } from './distributions.ts';
import { allOf, type Match } from './match.ts';
import { parsePurl, type Purl } from './purl.ts';

/** VexPackage is a package that a scanner found. */
export interface VexPackage {
  /** As the scanner names it: `bash`, `golang.org/x/net`, `@scope/name`, `group:artifact`. */
  readonly package: string;
  readonly installed: string;
  /** Its package URL; null or left out where nobody said of which type it is: then no package URL of a statement covers it. */
  readonly purl?: string | null | undefined;
  /** Version of the distribution, where the package URL does not say it. */
  readonly distribution?: string | null | undefined;
}

/** Qualifiers that say where a package was got from or how it was found, not which it is; an epoch is a part of its version. */
const DESCRIPTIVE: ReadonlySet<string> = new Set([
  ...['checksum', 'download_url', 'epoch', 'file_name', 'package-id', 'upstream', 'vcs_url', 'vers'],
]);

/**
 * coversPackage tells whether one of the parts that a statement is limited to is the package, in its version where the part has one or a
 * range of them, and none that it is not about. What cannot be told is not covered, and the finding counts.
 */
export function coversPackage(
  parts: readonly string[] | null,
  found: VexPackage,
  except: readonly string[] | null = null,
): boolean {
  if (parts !== null && !parts.some((part) => matchPackage(part, found) === 'yes')) return false;
  return except === null || except.every((part) => matchPackage(part, found) === 'no');
}

/**
 * matchPackage tells whether a part of a statement is a package: by the type, namespace and name of its package URL, its qualifiers and its
 * version; a part that is only a name by the name.
 */
function matchPackage(part: string, found: VexPackage): Match {
  const stated = parsePurl(part);
  if (stated === null && /^pkg:/i.test(part)) return 'unknown';
  if (stated === null) return part === found.package ? 'yes' : 'no';
  const own = parsePurl(found.purl ?? '');
  if (own === null) return nameOf(stated) === found.package ? 'unknown' : 'no';
  if (stated.type !== own.type || namespaceOf(stated) !== namespaceOf(own)) return 'no';
  const architecture = stated.qualifiers.get('arch');
  const isSource = architecture === 'source' || architecture === 'src';
  const source = isSource ? sourceOf(own, found) : null;
  if (isSource && source === null) return 'unknown';
  const { name, version } = source ?? { name: own.name, version: found.installed };
  if (plainName(stated.type, stated.name) !== plainName(own.type, name)) return 'no';
  return allOf([matchQualifiers(stated, own, found), matchVersion(stated, version)]);
}

/** As scanners write it where they write no package URL. */
function nameOf({ type, namespace, name }: Purl): string {
  if (namespace === '' || type === 'deb' || type === 'apk' || type === 'rpm') return name;
  return `${namespace}${type === 'maven' ? ':' : '/'}${name}`;
}

/** PEP 503 for Python; types whose names are in lower case whatever is written. */
function plainName(type: string, name: string): string {
  if (type === 'pypi') return name.toLowerCase().replace(/[-_.]+/g, '-');
  return ['apk', 'composer', 'deb', 'golang', 'hex', 'npm'].includes(type) ? name.toLowerCase() : name;
}

/** The source package, where the scanner reports it (`upstream=openssl@3.0.2`). */
function sourceOf(
  { qualifiers }: Purl,
  { installed }: VexPackage,
): { readonly name: string; readonly version: string } | null {
  const upstream = qualifiers.get('upstream');
  if (upstream === undefined) return null;
  const at = upstream.indexOf('@');
  return at < 1
    ? { name: upstream, version: installed }
    : { name: upstream.slice(0, at), version: upstream.slice(at + 1) };
}

function matchQualifiers(stated: Purl, own: Purl, { distribution }: VexPackage): Match {
  return allOf(
    [...stated.qualifiers].map(([key, value]): Match => {
      if (DESCRIPTIVE.has(key)) return 'yes';
      const other = own.qualifiers.get(key);
      if (key === 'distro') return matchDistribution(value, other ?? distribution ?? null, own);
      if (key === 'arch') return matchArchitecture(value, other ?? null);
      if (key === 'type' && own.type === 'maven') return value === (other ?? 'jar') ? 'yes' : 'no';
      if (other === undefined) return 'unknown';
      return other === value ? 'yes' : 'no';
    }),
  );
}

function matchVersion(stated: Purl, installed: string): Match {
  const { type, version } = stated;
  const range = stated.qualifiers.get('vers');
  if (range !== undefined) {
    const isIn = isInRange(range, type, installed);
    if (isIn === null) return 'unknown';
    if (version === null) return isIn ? 'yes' : 'no';
    if (!isIn) return 'no';
  }
  if (version === null) return 'yes';
  const epoch = stated.qualifiers.get('epoch');
  const wanted = epoch === undefined || /^\d+:/.test(version) ? version : `${epoch}:${version}`;
  const order = compareVersions(type, wanted, installed);
  return order === 0 || (order === null && wanted === installed) ? 'yes' : 'no';
}
