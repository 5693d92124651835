import type { Subject } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';
import type { Undecided } from './gate.ts';
import type { DenialLabel } from './labels.ts';
import { GATES } from './order.ts';
import { rulesOf } from './rules.ts';

/** Denial is the refusal of one gate. */
export interface Denial {
  readonly kind: 'refuse';
  readonly label: DenialLabel;
  readonly sentence: string;
}

/** Decision is the verdict of one policy on one image, whatever the policy's enforcement. */
export type Decision = { readonly kind: 'admit'; readonly breakGlass: boolean } | Denial | Undecided;

const ADMIT: Decision = { kind: 'admit', breakGlass: false };
const BYPASS: Decision = { kind: 'admit', breakGlass: true };

/**
 * decide judges one image under one policy at a time (milliseconds): the first gate that refuses gives the label
 * and the sentence; break-glass stands before all of them. `unknown` says that a fact was never recorded which
 * could change the answer. Pure: the same arguments always give the same decision.
 */
export function decide(policy: Policy, subject: Subject, at: number): Decision {
  const rules = rulesOf(policy);
  if (subject.breakGlass !== null && mayBypass(policy, subject.breakGlass)) return BYPASS;
  for (const { judge, label } of GATES) {
    const answer = judge(rules, subject, at);
    if (answer === null) continue;
    return typeof answer === 'string' ? { kind: 'refuse', label, sentence: answer } : answer;
  }
  return ADMIT;
}

/** BYPASS_DID_NOT_COUNT stands in a recorded reason between the gate's sentence and why a bypass that was asked for was not granted. */
export const BYPASS_DID_NOT_COUNT = '; break-glass did not count: ';

/** mayBypass tells whether a request to bypass a policy is granted. */
export function mayBypass(policy: Policy, request: NonNullable<Subject['breakGlass']>): boolean {
  return bypassFault(policy, request) === null;
}

/**
 * bypassFault says why a request to bypass a policy is not granted, as a sentence without a period; null where it is: "members of these
 * groups may bypass with the pod annotation; no group = nobody". A bypass without a reason is none.
 */
export function bypassFault(
  { name, spec }: Policy,
  request: NonNullable<Subject['breakGlass']>,
): string | null {
  const { allowed, groups } = spec.breakGlass;
  if (!allowed) return `policy ${name} does not allow it`;
  if (groups.length === 0) return `policy ${name} names no group that may`;
  if (!groups.some((group) => request.groups.includes(group)))
    return `the requester is in none of the groups of policy ${name}`;
  return request.reason.trim() === '' ? 'the annotation ipo.dev/break-glass gives no reason' : null;
}
