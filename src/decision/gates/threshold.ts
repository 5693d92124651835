import type { Subject } from '../../facts/index.ts';
import { isTriaged } from '../../findings/index.ts';
import { gate, unknown, type Answer } from '../gate.ts';
import { repairOf } from '../remedies.ts';
import type { Rules } from '../rules.ts';
import { isSuppressed } from '../trusted.ts';

/** threshold refuses findings at or above the policy's severity that nothing takes out of the count. */
export const threshold = gate({
  label: 'threshold',
  begins: ['vulnerabilities at or above '],
  fields: ['spec.severityThreshold', 'spec.ignoreUnfixed', 'spec.vex.mode', 'spec.vex.trustedIssuers'],
  title: 'vulnerabilities at or above the threshold',
  help: 'The image has findings at or above spec.severityThreshold. Update it, triage the findings, or look at spec.ignoreUnfixed and spec.vex.',
  escalates: true,
  judge,
  remedy: repairOf,
});

function judge(rules: Rules, subject: Subject, at: number): Answer {
  const { scan } = subject.facts;
  if (scan === null || rules.refuseFrom === Infinity) return null;
  if (scan.findings === null) return unknown('findings');
  let cves: Set<string> | null = null;
  for (const finding of scan.findings) {
    if (finding.rank < rules.refuseFrom || isTriaged(finding, at)) continue;
    if (rules.spec.ignoreUnfixed && finding.fixed === null) continue;
    if (rules.appliesVex) {
      if (subject.facts.vex === null) return unknown('vex');
      if (isSuppressed(rules, subject, finding)) continue;
    }
    (cves ??= new Set()).add(finding.cve);
  }
  if (cves === null) return null;
  return `vulnerabilities at or above ${rules.spec.severityThreshold}: ${[...cves].join(', ')}`;
}
