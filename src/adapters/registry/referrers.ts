import { isDigest, type Digest } from '../../base/index.ts';
import { isAbsent, RegistryError, type Descriptor, type Referrers } from '../../image/index.ts';
import type { HttpAnswer } from './call.ts';
import { MAX_PAGES, MAX_REFERRERS } from './limits.ts';
import { INDEX, readManifest } from './manifest.ts';
import type { From, Reading } from './reading.ts';

/** What registries answer that do not know the referrers API: by the specification 404, by others these. */
const UNKNOWN_API = [303, 400, 404, 405, 406, 501];

/** referrersTag is the tag under which clients list referrers where the registry does not. */
export function referrersTag(digest: Digest): string {
  return digest.replace(':', '-');
}

/**
 * readReferrers lists what is attached to a digest: by the referrers API, page after page, else by the fallback tag. At most 1,000; of
 * what was listed twice the first counts. Throws RegistryError.
 */
export async function readReferrers(
  reading: Reading,
  from: From,
  digest: Digest,
  artifactType: string | null,
): Promise<Referrers> {
  const query = artifactType === null ? '' : `?${String(new URLSearchParams({ artifactType }))}`;
  const first = await reading.referrers(from, `${digest}${query}`);
  if (UNKNOWN_API.includes(first.status) || (first.status === 200 && !isIndex(first))) {
    const listed = await byTag(reading, from, digest, artifactType);
    if (!isPage(first)) return listed;
    // A page is not an answer of a registry: what stands before it may hide what the API would have listed.
    if (listed.source === 'tag') return { ...listed, complete: false };
    throw new RegistryError(
      'unreadable',
      `${from.endpoint.host} answers with a page where it lists what is attached`,
      { remedy: 'look_between' },
    );
  }
  const found = new Map<string, Descriptor>();
  let page = first;
  for (let pages = 1; ; pages += 1) {
    if (page.status !== 200) throw reading.fault(from, page, digest);
    take(found, descriptorsOf(page, from), artifactType);
    const next = nextOf(page, from);
    if (next === null) return toReferrers('api', found, true);
    if (pages === MAX_PAGES || found.size > MAX_REFERRERS) return toReferrers('api', found, false);
    page = await reading.referrers(from, next);
  }
}

async function byTag(
  reading: Reading,
  from: From,
  digest: Digest,
  artifactType: string | null,
): Promise<Referrers> {
  const none: Referrers = { source: 'none', descriptors: [], complete: true };
  try {
    const manifest = await reading.manifest(from, referrersTag(digest));
    // GitLab's registry takes this tag for the digest itself, and gives what was asked about.
    if (manifest.digest === digest) return none;
    if (manifest.kind !== 'index')
      throw new RegistryError(
        'unreadable',
        `${from.endpoint.host} keeps an image under the tag for a list of referrers`,
      );
    const found = new Map<string, Descriptor>();
    take(found, manifest.manifests, artifactType);
    return toReferrers('tag', found, true);
  } catch (error) {
    if (isAbsent(error)) return none;
    throw error;
  }
}

function take(
  found: Map<string, Descriptor>,
  more: readonly Descriptor[],
  artifactType: string | null,
): void {
  for (const descriptor of more) {
    if (found.size > MAX_REFERRERS) return;
    // One that was listed without its type may be of any.
    const fits = artifactType === null || (descriptor.artifactType ?? artifactType) === artifactType;
    if (fits && !found.has(descriptor.digest)) found.set(descriptor.digest, descriptor);
  }
}

function toReferrers(
  source: 'api' | 'tag',
  found: ReadonlyMap<string, Descriptor>,
  isWhole: boolean,
): Referrers {
  const descriptors = [...found.values()];
  return {
    source,
    descriptors: descriptors.slice(0, MAX_REFERRERS),
    complete: isWhole && descriptors.length <= MAX_REFERRERS,
  };
}

/** Registries name the type of what they answer; a page of anything else is none of theirs. */
function isIndex({ headers }: HttpAnswer): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === INDEX;
}

function isPage({ headers, status }: HttpAnswer): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return (status === 200 || status === 404) && (type === 'text/html' || type === 'application/xhtml+xml');
}

function descriptorsOf({ bytes, headers }: HttpAnswer, { endpoint }: From): readonly Descriptor[] {
  const list = readManifest(bytes, headers['content-type'], `the referrers of ${endpoint.path}`);
  return list.kind === 'index' ? list.manifests : [];
}

/** What follows `referrers/` on the next page, or null. A page of anywhere else is not asked for. */
function nextOf({ headers }: HttpAnswer, { endpoint }: From): string | null {
  const link = /<([^<>\s]{1,4096})>\s*;[^<]*\brel="?next"?/i.exec(
    (headers['link'] ?? '').slice(0, 16_384),
  )?.[1];
  if (link === undefined) return null;
  const root = `/v2/${endpoint.path}/referrers/`;
  const url = URL.canParse(link, endpoint.origin.href + root.slice(1))
    ? new URL(link, endpoint.origin)
    : null;
  const rest =
    url?.origin === endpoint.origin.origin && url.pathname.startsWith(root)
      ? url.pathname.slice(root.length)
      : '';
  if (url === null || !isDigest(rest))
    throw new RegistryError(
      'unreadable',
      `${endpoint.host} names a next page of referrers that is not valid`,
    );
  return `${rest}${url.search}`;
}
