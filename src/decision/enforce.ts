import { byCodeUnit } from '../base/index.ts';
import type { Policy } from '../policy/index.ts';
import type { Decision } from './decide.ts';
import type { DenialLabel } from './labels.ts';

/** AUDIT_PREFIX begins the recorded sentence of what an audit policy would have refused. */
export const AUDIT_PREFIX = 'audit mode: ';

/** sentenceOf gives the gate's own sentence of a recorded reason: without the prefix of an audit. */
export function sentenceOf(reason: string): string {
  return reason.startsWith(AUDIT_PREFIX) ? reason.slice(AUDIT_PREFIX.length) : reason;
}

/** PolicyVerdict is the decision of one of the policies that govern the pod's namespace. */
export interface PolicyVerdict {
  readonly policy: Policy;
  readonly decision: Decision;
}

/** Outcome is the answer on one image as it is given and recorded. */
export interface Outcome {
  readonly allowed: boolean;
  /** The label; null when the image was admitted outside audit. */
  readonly label: DenialLabel | null;
  /** The recorded sentence; empty when the image was simply admitted. */
  readonly reason: string;
  /** The refusing policy, else the first auditing refusal's, else the first governing, else null. */
  readonly policy: Policy | null;
  readonly breakGlass: boolean;
}

/**
 * enforce applies Audit and Enforce to the verdicts of all governing policies, given in any order: "the first
 * refusal, in name order, of an enforcing policy refuses the image; refusals by audit policies are recorded". A
 * verdict that lacks a fact neither refuses nor bypasses.
 */
export function enforce(verdicts: readonly PolicyVerdict[]): Outcome {
  let audited: Outcome | null = null;
  let bypassed: Policy | null = null;
  const inOrder = verdicts.toSorted((a, b) => byCodeUnit(a.policy.name, b.policy.name));
  for (const { policy, decision } of inOrder) {
    if (decision.kind === 'refuse') {
      const { label, sentence } = decision;
      if (policy.spec.enforcement === 'Enforce') {
        return { allowed: false, label, reason: sentence, policy, breakGlass: false };
      }
      audited ??= { allowed: true, label, reason: AUDIT_PREFIX + sentence, policy, breakGlass: false };
    } else if (decision.kind === 'admit' && decision.breakGlass) bypassed ??= policy;
  }
  if (bypassed !== null)
    return { allowed: true, label: null, reason: '', policy: bypassed, breakGlass: true };
  return (
    audited ?? {
      allowed: true,
      label: null,
      reason: '',
      policy: inOrder[0]?.policy ?? null,
      breakGlass: false,
    }
  );
}
