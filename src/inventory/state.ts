/** IMAGE_STATES: "each image is in exactly one state. The first that applies wins, in this order." */
export const IMAGE_STATES = ['Blocked', 'Unscanned', 'Compliant', 'Not compliant'] as const;

/** ImageState is one of the four. */
export type ImageState = (typeof IMAGE_STATES)[number];

/** StateCounts are the tiles: how many images are in each state. */
export type StateCounts = Readonly<Record<ImageState, number>>;

/** Standing is what a state follows from. */
export interface Standing {
  /** The verdict of the image's newest ledger row; null when it was never reviewed. */
  readonly lastAllowed: boolean | null;
  /** Whether it has a completed scan. */
  readonly scanned: boolean;
  /** Whether every policy that governs where it stands admits it now. */
  readonly compliant: boolean;
}

/** stateOf gives the state: "Blocked: the last admission review was refused", whatever the scanner says since. */
export function stateOf({ lastAllowed, scanned, compliant }: Standing): ImageState {
  if (lastAllowed === false) return 'Blocked';
  if (!scanned) return 'Unscanned';
  return compliant ? 'Compliant' : 'Not compliant';
}

/** Where people should look first: what was refused, then what runs though a policy would refuse it. */
const ATTENTION: Readonly<Record<ImageState, number>> = {
  Blocked: 3,
  'Not compliant': 2,
  Unscanned: 1,
  Compliant: 0,
};

/** attentionOf gives a number that puts images in the order of who needs looking at first, from `severityWeight`. */
export function attentionOf(state: ImageState, weight: number): number {
  return ATTENTION[state] * MOST ** 3 + weight;
}

const MOST = 10_000;

/** severityWeight orders images by their critical findings, then the high ones, then the medium ones; below 10^12. */
export function severityWeight(counts: {
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
}): number {
  const digit = (count: number): number => Math.min(count, MOST - 1);
  return (digit(counts.critical) * MOST + digit(counts.high)) * MOST + digit(counts.medium);
}
