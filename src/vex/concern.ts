import type { Digest } from '../base/index.ts';
import { normaliseRegistry, parseReference } from '../image/index.ts';
import { packageUrls } from './limited.ts';
import { parsePurl, type Purl } from './purl.ts';
import type { VexProduct } from './statement.ts';

/** VexTarget is the image that statements are looked for. */
export interface VexTarget {
  readonly digest: Digest;
  /** Names of it as `host/path`; empty where they are not known. */
  readonly names: readonly string[];
  /**
   * Whether the document is attached to the digest by a signed statement that names it. Then a product may also be named only by
   * repository, or be a package in the image.
   */
  readonly attached: boolean;
}

/**
 * Concern is what a product is to the image: the whole of it or the named parts, another image, no image at all, or a name of its
 * repository without a digest, which of a document that is not attached does not count.
 */
export type Concern =
  | { readonly kind: 'covers'; readonly parts: readonly string[] | null }
  | { readonly kind: 'other' | 'no_digest' | 'none' };

type Named = 'digest' | 'repository' | 'package' | 'other' | 'none';

const OTHER: Concern = { kind: 'other' };
const NONE: Concern = { kind: 'none' };

/**
 * concernOf tells what a product is to an image. "A signature or statement counts only if its payload names this digest": a hash or a
 * digest in a name decides, whatever the repository; null, no product, is what the document is attached to.
 */
export function concernOf(product: VexProduct | null, target: VexTarget): Concern {
  if (product === null) return target.attached ? { kind: 'covers', parts: null } : NONE;
  const { names, hashes, parts } = product;
  const hex = target.digest.slice('sha256:'.length);
  if (hashes.length > 0) return hashes.includes(hex) ? { kind: 'covers', parts } : OTHER;
  const found = new Set(names.map((name) => namedBy(name, target, hex)));
  if (found.has('digest')) return { kind: 'covers', parts };
  if (found.has('other')) return OTHER;
  if (found.has('repository')) return target.attached ? { kind: 'covers', parts } : { kind: 'no_digest' };
  // A package that was attached to the image is one in it; what is a part of the package is not looked for elsewhere.
  if (found.has('package') && target.attached && parts === null)
    return { kind: 'covers', parts: packageUrls(names) };
  return NONE;
}

function namedBy(name: string, target: VexTarget, hex: string): Named {
  const purl = parsePurl(name);
  if (purl?.type === 'oci' || purl?.type === 'docker') return namedByPurl(purl, target);
  const hashes = name.match(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi);
  if (hashes !== null) return hashes.some((hash) => hash.toLowerCase() === hex) ? 'digest' : 'other';
  if (purl !== null) return 'package';
  const reference = parseReference(name);
  if ('fault' in reference) return 'none';
  return isRepository(reference.name, target) ? 'repository' : 'none';
}

/** The version of an image is its digest; in `pkg:docker` it may be a tag, which says no more than the repository does. */
function namedByPurl({ type, namespace, name, version, qualifiers }: Purl, target: VexTarget): Named {
  const digest = version?.includes(':') === true ? version.toLowerCase() : null;
  if (digest !== null) return digest === target.digest ? 'digest' : 'other';
  if (version !== null && type === 'oci') return 'other'; // a version that is not a digest names nothing that is here
  const url = bareUrl(qualifiers.get('repository_url'));
  const path = namespace === '' ? name : `${namespace}/${name}`;
  const named = url === undefined ? [path] : [url, `${url}/${path}`];
  return named.some((text) => isRepository(normaliseName(text), target)) ? 'repository' : 'other';
}

/** Without a scheme and slashes at its end; by hand, since an expression for these is slow on many slashes. */
function bareUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const scheme = url.indexOf('://');
  let end = url.length;
  while (end > 0 && url.charCodeAt(end - 1) === 47) end -= 1;
  return url.slice(scheme === -1 ? 0 : scheme + 3, end);
}

function normaliseName(text: string): string {
  const reference = parseReference(text);
  return 'fault' in reference ? normaliseRegistry(text) : reference.name;
}

/** An attached document may have been copied to a mirror with the image, where only the last segment is the same. */
function isRepository(name: string, { names, attached }: VexTarget): boolean {
  if (attached && names.length === 0) return true;
  const last = lastSegment(name);
  return names.some((known) => known === name || (attached && lastSegment(known) === last));
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
