import { isUnscanned, scanOn } from '../findings/index.ts';
import type { ImageFacts } from './image-facts.ts';

/** A pod may name what it likes. */
const MOST = 16;
/** What was made of facts already: many pods run one image, and what follows from its facts is remembered by the object. */
const made = new WeakMap<ImageFacts, Map<string, ImageFacts>>();

/**
 * factsOn gives the facts of an image as they count on a node of a platform (`linux/arm64`); the facts themselves, which are the worst of
 * all platforms, where it is null or they do not tell platforms apart. The same object for the same arguments.
 */
export function factsOn(facts: ImageFacts, platform: string | null | undefined): ImageFacts {
  const { scan } = facts;
  if (platform === null || platform === undefined || !scan?.platforms || scan.platforms.length < 2)
    return facts;
  let known = made.get(facts);
  if (known === undefined) made.set(facts, (known = new Map()));
  let own = known.get(platform);
  if (own === undefined) {
    const there = scanOn(scan, platform);
    if (known.size >= MOST) known.clear();
    known.set(platform, (own = there === scan ? facts : { ...facts, scan: there }));
  }
  return own;
}

/** lacksScan tells facts without a completed scan, of any platform that the image is needed for. */
export function lacksScan({ scan }: ImageFacts): boolean {
  return isUnscanned(scan);
}
