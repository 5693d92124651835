import { parseDuration } from '../../base/index.ts';
import type { PolicyRule, Remark } from '../rule.ts';

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** windowRules look at remediation windows that give a worse finding more time. */
export const windowRules: PolicyRule = ({ policy }) => {
  const { sla } = policy.spec;
  if (sla === undefined) return [];
  if (Object.values(sla).every((window) => window === undefined)) {
    return [
      {
        rule: 'sla-empty',
        level: 'warning',
        path: ['spec', 'sla'],
        message: 'sla declares no window',
        hint: 'Add critical, high, medium and low, or take sla out',
      },
    ];
  }
  const remarks: Remark[] = [];
  let worse: { name: string; ms: number; text: string } | null = null;
  for (const name of SEVERITIES) {
    const text = sla[name];
    if (text === undefined) continue;
    const ms = parseDuration(text) ?? 0;
    if (worse !== null && ms < worse.ms) {
      const message = `${name} findings are to be fixed within ${text}, sooner than ${worse.name} ones within ${worse.text}`;
      remarks.push({
        rule: 'sla-order',
        level: 'warning',
        path: ['spec', 'sla', name],
        message,
        hint: 'Give the more severe finding the shorter window',
      });
    } else worse = { name, ms, text };
  }
  return remarks;
};
