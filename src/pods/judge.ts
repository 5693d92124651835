import {
  decide,
  enforce,
  mayBypass,
  warningsOf,
  type Decision,
  type Outcome,
  type PolicyVerdict,
  type UnknownFact,
} from '../decision/index.ts';
import type { Subject } from '../facts/index.ts';
import { governs, type Policy } from '../policy/index.ts';
import { byCodeUnit, printable } from '../base/index.ts';

/** ImageJudgement is the answer on one image under every policy that governs its namespace. */
export interface ImageJudgement {
  /** As it would be answered and recorded. */
  readonly outcome: Outcome;
  /** One for each governing policy, in name order. */
  readonly verdicts: readonly PolicyVerdict[];
  /**
   * The fact for want of which an enforcing policy could not say whether it refuses, while no other refused: the
   * image is then neither admitted nor refused. Null when the outcome stands.
   */
  readonly undecided: UnknownFact | null;
  /** What the policies that admitted warn of, each sentence once. */
  readonly warnings: readonly string[];
}

/** governing gives the policies that are asked about a namespace, in name order. */
export function governing(policies: readonly Policy[], namespace: string): Policy[] {
  return policies
    .filter((policy) => governs(policy, namespace))
    .toSorted((a, b) => byCodeUnit(a.name, b.name));
}

/**
 * judgeImage decides an image under the policies that govern its namespace, given in name order, at a time in
 * milliseconds. Pure.
 */
export function judgeImage(policies: readonly Policy[], subject: Subject, at: number): ImageJudgement {
  const verdicts = policies.map((policy) => ({ policy, decision: decide(policy, subject, at) }));
  const warnings = verdicts.flatMap(({ policy, decision }) =>
    decision.kind === 'admit' && !decision.breakGlass ? warningsOf(policy, subject, at) : [],
  );
  return judgementOf(verdicts, [...new Set(warnings)]);
}

/** judgementOf gives the answer that follows from the verdicts of all governing policies. Pure. */
export function judgementOf(verdicts: readonly PolicyVerdict[], warnings: readonly string[]): ImageJudgement {
  const outcome = enforce(verdicts);
  const open = verdicts.find(
    ({ policy, decision }) => policy.spec.enforcement === 'Enforce' && decision.kind === 'unknown',
  );
  const undecided = outcome.allowed && open?.decision.kind === 'unknown' ? open.decision.fact : null;
  return { outcome, verdicts, undecided, warnings };
}

/**
 * judgeUnnamed judges what names no repository: it stands in no registry that a policy could allow. It must not pass: a runtime takes
 * the id of an image, or the beginning of one, as an image that it holds. `fault` is the clause of parseReference. Pure.
 */
export function judgeUnnamed(
  policies: readonly Policy[],
  image: string,
  fault: string,
  breakGlass: Subject['breakGlass'],
): ImageJudgement {
  const said = image === '' ? 'the container names no image' : `${printable(image, 300)} ${fault}`;
  const sentence = `registry not allowed: ${said}`;
  const verdicts = policies.map((policy): PolicyVerdict => {
    const decision: Decision =
      breakGlass !== null && mayBypass(policy, breakGlass)
        ? { kind: 'admit', breakGlass: true }
        : { kind: 'refuse', label: 'registry', sentence };
    return { policy, decision };
  });
  return judgementOf(verdicts, []);
}
