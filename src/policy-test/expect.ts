import * as z from 'zod/mini';
import { DENIAL_LABELS, WORKLOAD_HARDENING, type UnknownFact } from '../decision/index.ts';

const FACTS = ['findings', 'known_exploited', 'signatures', 'attestations', 'provenance', 'vex'] as const;

/** EXPECTED_FACTS are those that a case may expect to be missing. */
export const EXPECTED_FACTS: readonly string[] = FACTS;

/** EXPECTATIONS are the words that a case may expect: `allowed`, or the label of a denial. */
export const EXPECTATIONS: readonly string[] = ['allowed', ...DENIAL_LABELS, WORKLOAD_HARDENING];

/** LABELS are the words for a denial. */
export const LABELS: readonly string[] = EXPECTATIONS.slice(1);

/** Expected is what a case expects of everything that it gives. */
export type Expected =
  | { readonly kind: 'allowed' }
  /** One image, or the pod, is denied under this label, with a sentence that begins so. */
  | { readonly kind: 'denied'; readonly label: string; readonly sentence: string | null }
  /** An image cannot be decided for want of this fact. */
  | { readonly kind: 'undecided'; readonly fact: UnknownFact };

/** expectation is `expect` as it is written: a word, or a mapping. */
export const expectation = z.union([
  z.enum(EXPECTATIONS as [string, ...string[]]),
  z.strictObject({
    label: z.enum(LABELS as [string, ...string[]]),
    sentence: z.optional(z.string().check(z.minLength(1))),
  }),
  z.strictObject({ undecided: z.enum(FACTS) }),
]);

/** toExpected gives the meaning of what is written. */
export function toExpected(written: z.infer<typeof expectation>): Expected {
  if (typeof written === 'string')
    return written === 'allowed' ? { kind: 'allowed' } : { kind: 'denied', label: written, sentence: null };
  if ('undecided' in written) return { kind: 'undecided', fact: written.undecided };
  return { kind: 'denied', label: written.label, sentence: written.sentence ?? null };
}

/** describeExpected says in a few words what is expected. */
export function describeExpected(expected: Expected): string {
  if (expected.kind === 'allowed') return 'allowed';
  if (expected.kind === 'undecided') return `undecided for want of ${expected.fact}`;
  return expected.sentence === null
    ? `denied: ${expected.label}`
    : `denied: ${expected.label} ("${expected.sentence}…")`;
}
