import { isTriaged } from '../../findings/index.ts';
import { refuse, unknown, type Gate } from '../gate.ts';
import { isSuppressed } from '../trusted.ts';

/** threshold refuses findings at or above the policy's severity that nothing takes out of the count. */
export const threshold: Gate = (rules, subject, at) => {
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
  return refuse(
    'threshold',
    `vulnerabilities at or above ${rules.spec.severityThreshold}: ${[...cves].join(', ')}`,
  );
};
