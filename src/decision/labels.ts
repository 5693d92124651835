/** DENIAL_LABELS are the twelve reasons for which an image is refused, in the order in which they are judged. */
export const DENIAL_LABELS = [
  'registry',
  'tag',
  'digest',
  'quota',
  'unscanned',
  'signature',
  'attestation',
  'threshold',
  'known_exploited',
  'end_of_life',
  'provenance',
  'context',
] as const;

/** DenialLabel is the reason for which an image is refused. */
export type DenialLabel = (typeof DENIAL_LABELS)[number];

/** WORKLOAD_HARDENING labels a refusal of a pod as a whole, which carries no image and is never replayed. */
export const WORKLOAD_HARDENING = 'workload_hardening';

/** isDenialLabel tells whether a text is one of the twelve. */
export function isDenialLabel(text: string): text is DenialLabel {
  return (DENIAL_LABELS as readonly string[]).includes(text);
}
