import { sentenceOf } from './enforce.ts';
import { WORKLOAD_HARDENING, type DenialLabel } from './labels.ts';
import { GATES } from './order.ts';

/** The fixed words with which each sentence begins, up to its first variable part. */
const BEGINNINGS: readonly (readonly [string, DenialLabel | typeof WORKLOAD_HARDENING])[] = [
  ...GATES.flatMap(({ label, begins }) => begins.map((beginning) => [beginning, label] as const)),
  ['workload hardening: ', WORKLOAD_HARDENING],
];

/** labelOfSentence recovers the label of a recorded sentence, audited or not, or gives null. */
export function labelOfSentence(reason: string): DenialLabel | typeof WORKLOAD_HARDENING | null {
  const sentence = sentenceOf(reason);
  return BEGINNINGS.find(([beginning]) => sentence.startsWith(beginning))?.[1] ?? null;
}
