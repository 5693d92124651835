import { END_REASONS, type EndReason } from './issue.ts';

/**
 * majorityReason gives the reason that an issue with several findings is closed with (the metric's label, the provider's own word):
 * "the majority reason of its findings. Ties go to `fixed`", and one that `fixed` has no part in to the earlier of the three reasons.
 */
export function majorityReason(reasons: readonly EndReason[]): EndReason {
  const count = (reason: EndReason): number => reasons.filter((one) => one === reason).length;
  const [first] = END_REASONS.toSorted((a, b) => count(b) - count(a)); // stable: ties keep their order
  return first ?? 'fixed';
}
