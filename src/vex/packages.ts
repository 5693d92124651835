import { parsePurl, type Purl } from './purl.ts';

/** VexPackage is a package that a scanner found. */
export interface VexPackage {
  /** As the scanner names it: `bash`, `golang.org/x/net`, `@scope/name`, `group:artifact`. */
  readonly package: string;
  readonly installed: string;
}

/**
 * coversPackage tells whether one of the parts that a statement is limited to is the package, and its version where the part has one. What
 * cannot be told is not covered, and the finding counts.
 */
export function coversPackage(parts: readonly string[] | null, found: VexPackage): boolean {
  return parts === null || parts.some((part) => isPackage(part, found));
}

function isPackage(part: string, found: VexPackage): boolean {
  const purl = parsePurl(part);
  if (purl === null) return part === found.package;
  if (!namesOf(purl).includes(purl.type === 'pypi' ? pythonName(found.package) : found.package)) return false;
  return purl.version === null || versionsOf(purl, purl.version).includes(withoutV(purl, found.installed));
}

/** How scanners name the package; those of an operating system go by the name alone. */
function namesOf({ type, namespace, name }: Purl): readonly string[] {
  switch (type) {
    case 'deb':
    case 'apk':
    case 'rpm':
      return [name];
    case 'pypi':
      return [pythonName(name)];
    case 'maven':
      return [namespace === '' ? name : `${namespace}:${name}`];
    default:
      return [namespace === '' ? name : `${namespace}/${name}`];
  }
}

/** PEP 503: letters of either case, and runs of `-`, `_` and `.`, are one. */
function pythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** An epoch stands in a qualifier, and scanners write it before the version. */
function versionsOf(purl: Purl, version: string): readonly string[] {
  const epoch = purl.qualifiers.get('epoch');
  const own = withoutV(purl, version);
  return epoch === undefined || epoch === '0' ? [own] : [`${epoch}:${own}`];
}

/** Go writes `v1.2.3`, scanners of Go do not always. */
function withoutV({ type }: Purl, version: string): string {
  return type === 'golang' ? version.replace(/^v(?=\d)/, '') : version;
}
