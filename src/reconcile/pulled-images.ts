import { isDigest, type Digest } from '../base/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import type { ImageOfIndex, PulledImage, PulledIndexes, RunningPod } from './ports.ts';

/** The digests that nodes say they pulled, where that is not the one that the pod names, each with the name of its image. */
function pulledImages(pods: readonly RunningPod[]): PulledImage[] {
  const found = new Map<string, PulledImage>();
  for (const { containers } of pods)
    for (const { image, digest } of containers) {
      const reference = parseReference(image);
      if (digest === null || 'fault' in reference || reference.digest === digest) continue;
      const pulled = { name: seenAs(reference), digest };
      found.set(keyOf(pulled), pulled);
    }
  return [...found.values()];
}

/** As the ledger names images. */
function seenAs({ name, tag }: ImageReference): string {
  return tag === null ? name : `${name}:${tag}`;
}

const keyOf = ({ name, digest }: PulledImage): string => `${name}@${digest}`;

/**
 * asReviewed gives pods with the digests that reviews know their images by. Some runtimes say in `imageID` which image of an index they
 * run; scans, signatures and triage are kept of the index, which is what a tag or the pod itself names.
 */
export async function asReviewed(
  pods: readonly RunningPod[],
  indexes: PulledIndexes,
): Promise<readonly RunningPod[]> {
  const pulled = pulledImages(pods);
  if (pulled.length === 0) return pods;
  const found = new Map((await indexes.of(pulled)).map((one) => [keyOf(one), one]));
  return found.size === 0 ? pods : pods.map((pod) => underIndexes(pod, found));
}

function underIndexes(pod: RunningPod, found: ReadonlyMap<string, ImageOfIndex>): RunningPod {
  let platform = pod.platform ?? null;
  const containers = pod.containers.map((container) => {
    const { image, digest } = container;
    const reference = parseReference(image);
    if (digest === null || 'fault' in reference || reference.digest === digest) return container;
    const known = found.get(keyOf({ name: seenAs(reference), digest }));
    if (known === undefined) return container;
    platform ??= known.platform;
    return { ...container, digest: namedOf(reference.digest) ?? known.index };
  });
  return { ...pod, containers, platform };
}

function namedOf(digest: string | null): Digest | null {
  return digest !== null && isDigest(digest) ? digest : null;
}
