import type { PolicyRule, Remark } from '../rule.ts';
import type { RuleId } from './catalogue.ts';

/** vexRules look at statements that nobody may make, or that could change nothing. */
export const vexRules: PolicyRule = ({ policy }) => {
  const { vex, severityThreshold, knownExploited } = policy.spec;
  const issuers = ['spec', 'vex', 'trustedIssuers'];
  const remark = (rule: RuleId, path: readonly PropertyKey[], message: string, hint: string): Remark[] => [
    { rule, level: 'warning', path, message, hint },
  ];
  if (vex.mode === 'ignore') {
    if (vex.trustedIssuers.length === 0) return [];
    return remark(
      'vex-unused',
      issuers,
      'producers are trusted, and vex.mode is ignore, so no statement counts',
      'Set vex.mode to apply, or take the producers out',
    );
  }
  const mode = ['spec', 'vex', 'mode'];
  if (vex.trustedIssuers.length === 0) {
    return remark(
      'vex-nobody',
      mode,
      'vex.mode is apply, and no producer is trusted, so no statement can count',
      'Name the producers under vex.trustedIssuers, or set the mode to ignore',
    );
  }
  if (severityThreshold === 'NONE' && knownExploited === 'ignore') {
    return remark(
      'vex-pointless',
      mode,
      'vex.mode is apply, and no gate judges findings, so a statement changes nothing',
      'Set severityThreshold or knownExploited, or set the mode to ignore',
    );
  }
  return [];
};
