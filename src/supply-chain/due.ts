import type { Collected } from './collected.ts';
import { isComplete } from './collected.ts';
import type { ClaimedDigest } from './ports.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A signature can come minutes after the image: so long after it was first seen it is looked for more often. */
const YOUNG = HOUR;
const YOUNG_EVERY = 5 * MINUTE;
/** Signatures and statements come later too, and are taken back. */
const EVERY = 6 * HOUR;
const LONGEST = HOUR;

/** dueAfter gives when a digest is collected again: 1, 2, 4 … minutes up to an hour after what was not read whole, else 6 hours. */
export function dueAfter({ attempts, firstSeenAt }: ClaimedDigest, collected: Collected, at: number): number {
  if (!isComplete(collected)) return retryAfter(attempts, at);
  const isBare = collected.signatures.entries.length === 0 && collected.attestations.entries.length === 0;
  return at + (isBare && at - firstSeenAt < YOUNG ? YOUNG_EVERY : EVERY);
}

/** retryAfter gives when a digest that could not be collected is tried again, after this many attempts before. */
export function retryAfter(attempts: number, at: number): number {
  return at + Math.min(MINUTE * 2 ** Math.min(attempts, 16), LONGEST);
}
