import { isDigest } from '../base/index.ts';
import { formatPlatform, normalisePlatform, parsePlatform, selectPlatform } from './platform.ts';
import type { Descriptor } from './registry-ports.ts';

/** PlatformEntry is an image of an index, by the platform that it is made for (`linux/arm64`), in the one form of formatPlatform. */
export interface PlatformEntry {
  readonly platform: string;
  /** As written where it is of another algorithm than SHA-256; no scan stands for that one. */
  readonly digest: string;
}

/** An index may list what it likes; no image is made for more platforms than these. */
const MOST = 64;

/** In the place of the platform of an image that a node may run although the index does not say for which it is made. */
const UNNAMED = 'unknown/unknown';

/** Of an index that names no image for them, and of one that this program cannot ask for. */
const IMAGES =
  /^application\/vnd\.(?:oci\.image\.(?:manifest|index)\.v1|docker\.distribution\.manifest(?:\.list)?\.v2)\+json$/i;

/**
 * platformEntries gives the images of an index that a node could run, the first of each platform. Where a node may run one that cannot be
 * told by its platform (none is named, too many are), the last entry is `unknown/unknown`: no scan stands for it.
 */
export function platformEntries(manifests: readonly Descriptor[]): readonly PlatformEntry[] {
  const entries = new Map<string, PlatformEntry>();
  let unnamed: PlatformEntry | null = null;
  for (const { platform, digest, mediaType } of manifests) {
    const normal = platform && normalisePlatform(platform);
    if (normal?.os === 'unknown' || (normal === null && !IMAGES.test(mediaType))) continue;
    const name = normal && formatPlatform(normal);
    if (name !== null && (parsePlatform(name) === null || entries.has(name))) continue;
    if (name === null || !isDigest(digest) || entries.size === MOST) {
      unnamed ??= { platform: UNNAMED, digest };
      continue;
    }
    entries.set(name, { platform: name, digest });
  }
  return [...entries.values(), ...(unnamed === null ? [] : [unnamed])];
}

/** isUnnamed tells the entry of an image whose platform the index does not say. */
export function isUnnamed({ platform }: Pick<PlatformEntry, 'platform'>): boolean {
  return platform === UNNAMED;
}

/** toPlatformName gives the one form of a platform that a report or a node names in parts; null where it names none. */
export function toPlatformName(
  given:
    | {
        readonly os?: string | null | undefined;
        readonly architecture?: string | null | undefined;
        readonly variant?: string | null | undefined;
      }
    | null
    | undefined,
): string | null {
  const { os, architecture, variant } = given ?? {};
  if (!os || !architecture) return null;
  const platform = parsePlatform([os, architecture, ...(variant ? [variant] : [])].join('/'));
  return platform === null ? null : formatPlatform(platform);
}

/**
 * entryFor gives the image that a node of a platform would run; null where there is none for it. As containerd does, a node takes an image
 * whose platform is not said where none is made for its own.
 */
export function entryFor<Entry extends { readonly platform: string }>(
  entries: readonly Entry[],
  node: string,
): Entry | null {
  const wanted = parsePlatform(node);
  if (wanted === null) return null;
  const candidates = entries.map((entry) => ({
    entry,
    platform: parsePlatform(entry.platform),
  }));
  return selectPlatform(candidates, wanted)?.entry ?? entries.find(isUnnamed) ?? null;
}

/** neededEntries gives the images of an index that nodes of these platforms would run, each once; all of them where no node is known. */
export function neededEntries<Entry extends { readonly platform: string }>(
  entries: readonly Entry[],
  nodes: readonly string[],
): readonly Entry[] {
  if (nodes.length === 0) return entries;
  const needed = new Set(nodes.map((node) => entryFor(entries, node)));
  return entries.filter((entry) => needed.has(entry));
}
