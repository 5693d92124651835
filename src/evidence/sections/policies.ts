import { formatTime } from '../../base/index.ts';
import type { Governing } from '../governing.ts';
import type { Period } from '../period.ts';

/** policiesSection lists the revisions that governed in a period, with when they were in effect. */
export function policiesSection(governing: Governing, period: Period) {
  return governing.in(period).map(({ policy, current, recorded }) => ({
    name: policy.name,
    revision: policy.revision,
    current,
    enforcement: policy.spec.enforcement,
    target_namespaces: policy.spec.targetNamespaces,
    critical_window: policy.spec.sla?.critical ?? null,
    in_force:
      recorded.inForce?.map(({ from, until }) => ({
        from: formatTime(from),
        to: until === null ? null : formatTime(until),
      })) ?? null,
  }));
}
