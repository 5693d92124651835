import { parsePurl, type Purl } from './purl.ts';

/** Limit is what of the versions of a product a statement is about: one, or a range of the form `vers:…`. */
export type Limit = { readonly version: string } | { readonly range: string };

/**
 * limitName limits a package URL that stands for every version to some of them: a range is written as its qualifier `vers`. One that has a
 * version, or is not a package URL, stays as it is.
 */
export function limitName(name: string, limit: Limit): string {
  const purl = parsePurl(name);
  if (purl === null || isLimited(purl)) return name;
  if ('version' in limit) return formatPurl({ ...purl, version: limit.version });
  return formatPurl({ ...purl, qualifiers: new Map([...purl.qualifiers, ['vers', limit.range]]) });
}

/** isImage tells the package URL of an image, whose version is its digest: what a document says of versions beside it is about tags. */
export function isImage(name: string): boolean {
  return /^pkg:(?:oci|docker)\//i.test(name);
}

/** isLimited tells whether a package URL is about some versions only. */
export function isLimited({ version, qualifiers }: Purl): boolean {
  return version !== null || qualifiers.has('vers');
}

/**
 * packageUrls gives the package URLs among the names of one thing. Where one of them has a version, those that have none are left out:
 * each names the same, and a bare one would be about every version.
 */
export function packageUrls(names: readonly string[]): readonly string[] {
  const urls = names.filter((name) => /^pkg:/i.test(name));
  const limited = urls.filter((name) => {
    const purl = parsePurl(name);
    return purl !== null && isLimited(purl);
  });
  return limited.length > 0 ? limited : urls;
}

function formatPurl({ type, namespace, name, version, qualifiers }: Purl): string {
  const path = [type, ...namespace.split('/'), name]
    .filter((segment) => segment !== '')
    .map(encodeURIComponent);
  const at = version === null ? '' : `@${encodeURIComponent(version)}`;
  const pairs = [...qualifiers].map(([key, value]) => `${key}=${encodeURIComponent(value)}`).toSorted();
  return `pkg:${path.join('/')}${at}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}
