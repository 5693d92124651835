import { isDigest, type Digest } from '../base/index.ts';
import {
  formatPlatform,
  isAttestation,
  normalisePlatform,
  parsePlatform,
  selectPlatform,
} from './platform.ts';
import type { Descriptor } from './registry-ports.ts';

/** PlatformEntry is an image of an index, by the platform that it is made for (`linux/arm64`), in the one form of formatPlatform. */
export interface PlatformEntry {
  readonly platform: string;
  readonly digest: Digest;
}

/** An index may list what it likes; no image is made for more platforms than these. */
const MOST = 64;

/** platformEntries gives the images of an index that a node could run, the first of each platform. */
export function platformEntries(manifests: readonly Descriptor[]): readonly PlatformEntry[] {
  const entries = new Map<string, PlatformEntry>();
  for (const descriptor of manifests) {
    const { platform, digest } = descriptor;
    if (platform === null || !isDigest(digest) || isAttestation(descriptor)) continue;
    const normal = normalisePlatform(platform);
    const name = formatPlatform(normal);
    if (normal.os === 'unknown' || parsePlatform(name) === null || entries.has(name)) continue;
    entries.set(name, { platform: name, digest });
    if (entries.size === MOST) break;
  }
  return [...entries.values()];
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

/** entryFor gives the image that a node of a platform would run; null where there is none for it. */
export function entryFor<Entry extends { readonly platform: string }>(
  entries: readonly Entry[],
  node: string,
): Entry | null {
  const wanted = parsePlatform(node);
  if (wanted === null) return null;
  const candidates = entries.map((entry) => ({
    entry,
    platform: parsePlatform(entry.platform),
    annotations: {},
  }));
  return selectPlatform(candidates, wanted)?.entry ?? null;
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
