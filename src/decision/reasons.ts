import { sentenceOf } from './enforce.ts';
import { WORKLOAD_HARDENING, type DenialLabel } from './labels.ts';

/** The fixed words with which each sentence begins, up to its first variable part. */
const BEGINNINGS: readonly (readonly [string, DenialLabel | typeof WORKLOAD_HARDENING])[] = [
  ['registry not allowed: ', 'registry'],
  ['tag latest not allowed: ', 'tag'],
  ['digest required: ', 'digest'],
  ['monthly allowance of ', 'quota'],
  ['node ceiling of ', 'quota'],
  ['not scanned yet: ', 'unscanned'],
  ['signature not verified: ', 'signature'],
  ['attestation missing: ', 'attestation'],
  ['vulnerabilities at or above ', 'threshold'],
  ['known exploited: ', 'known_exploited'],
  ['end of life OS: ', 'end_of_life'],
  ['provenance: ', 'provenance'],
  ['context ', 'context'],
  ['workload hardening: ', WORKLOAD_HARDENING],
];

/** labelOfSentence recovers the label of a recorded sentence, audited or not, or gives null. */
export function labelOfSentence(reason: string): DenialLabel | typeof WORKLOAD_HARDENING | null {
  const sentence = sentenceOf(reason);
  return BEGINNINGS.find(([beginning]) => sentence.startsWith(beginning))?.[1] ?? null;
}
