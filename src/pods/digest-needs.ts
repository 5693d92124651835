import { decide, type Decision } from '../decision/index.ts';
import type { ImageFacts, Subject } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';

/**
 * UNREAD_FACTS stands for facts that could not be read in time: everything is unknown, so that only a gate that needs none of
 * them can refuse.
 */
export const UNREAD_FACTS: ImageFacts = {
  digest: null,
  names: [],
  scan: { scannedAt: null, scanner: null, os: null, findings: null },
  signatures: null,
  attestations: null,
  provenance: null,
  vex: null,
};

/** Undigested is what is known of an image before anything is asked about it. */
export type Undigested = Omit<Subject, 'digest' | 'facts'>;

/**
 * mayAskRegistry tells whether a registry is worth asking what an image by tag stands for, and may be: some policy that governs it allows
 * its registry, or none governs it; and no enforcing policy refuses it only by what the reference says. Anyone who can make a pod names any
 * host in it, and must not have the operator call that host. Pure.
 */
export function mayAskRegistry(policies: readonly Policy[], image: Undigested, at: number): boolean {
  if (policies.length === 0) return true;
  let isAllowed = false;
  for (const policy of policies) {
    const decision = decideUnread(policy, image, at);
    if (decision.kind === 'refuse' && policy.spec.enforcement === 'Enforce') return false;
    // A bypass opens a policy, not a registry.
    const bare =
      image.breakGlass === null ? decision : decideUnread(policy, { ...image, breakGlass: null }, at);
    if (bare.kind !== 'refuse' || bare.label !== 'registry') isAllowed = true;
  }
  return isAllowed;
}

/** hangsOnFacts tells whether what is known of an image's digest could change the answer of one of these policies. Pure. */
export function hangsOnFacts(policies: readonly Policy[], image: Undigested, at: number): boolean {
  return policies.some((policy) => {
    const { kind } = decideUnread(policy, image, at);
    const { admissionTiming } = policy.spec;
    const timing = admissionTiming === '' ? image.coldImagePolicy : admissionTiming;
    return kind === 'unknown' || (kind === 'admit' && timing === 'DenyUntilScanned');
  });
}

/** Gates that need nothing but the reference speak; all others have nothing to go by. */
function decideUnread(policy: Policy, image: Undigested, at: number): Decision {
  return decide(policy, { ...image, digest: null, facts: UNREAD_FACTS }, at);
}
