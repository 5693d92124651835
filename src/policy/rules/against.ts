import { judgeChanges, type FieldChange } from '../changes.ts';
import type { Policy } from '../policy.ts';
import type { ParsedPolicy } from '../parse.ts';
import type { Path } from '../paths.ts';
import { showEntry, showValue } from '../show.ts';
import type { PolicyRemark } from './overlap.ts';

/**
 * againstRemarks compares policies with those of the same name in effect: a policy that stops enforcing is a
 * warning, any other field that became looser is a notice. A name that is not in effect yet is nothing to say.
 */
export function againstRemarks(
  policies: readonly ParsedPolicy[],
  inForce: readonly Policy[],
): PolicyRemark[] {
  const byName = new Map(inForce.map((policy) => [policy.name, policy]));
  return policies.flatMap((at): PolicyRemark[] => {
    const before = byName.get(at.policy.name);
    if (before === undefined) return [];
    return judgeChanges(before.spec, at.policy.spec).flatMap((change): PolicyRemark[] => {
      const { path, direction } = change;
      if (direction !== 'looser') return [];
      const place: Path = path.split('.');
      if (path === 'spec.enforcement') {
        const message = `${at.policy.name} enforces now and would only audit: Enforce became Audit, so it no longer denies anything`;
        return [
          {
            at,
            rule: 'enforce-to-audit',
            level: 'warning',
            path: place,
            message,
            hint: 'Keep Enforce, or see with `ipo whatif` what it denies today',
          },
        ];
      }
      const message = `${path} is looser than what is in effect: ${howLooser(change)}`;
      return [
        {
          at,
          rule: 'looser',
          level: 'notice',
          path: place,
          message,
          hint: 'Preview with `ipo whatif` what it would allow',
        },
      ];
    });
  });
}

/** Of a list the entries that were added and removed; but of one that is empty on a side, what that stands for. */
function howLooser({ path, before, after, entries }: FieldChange): string {
  const unlimited = [before, after].some((list) => Array.isArray(list) && list.length === 0);
  if (entries === null || unlimited) return `${showValue(path, before)} became ${showValue(path, after)}`;
  return [
    ...entries.added.map((entry) => `${showEntry(entry)} was added`),
    ...entries.removed.map((entry) => `${showEntry(entry)} was removed`),
    ...entries.changed.map((entry) => `${showEntry(entry.before)} became ${showEntry(entry.after)}`),
  ].join('; ');
}
