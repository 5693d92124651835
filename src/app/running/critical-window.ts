import { parseDuration } from '../../base/index.ts';
import { governingAt, type PoliciesInForce } from '../../inventory/index.ts';
import type { IssueTerms } from '../../trackers/index.ts';

type Declaring = Pick<PoliciesInForce['policies'][number], 'spec'>;

/**
 * criticalWindow tells the declared window of critical findings: the shortest `sla.critical` of the policies that govern one of an
 * image's namespaces; of an image that was seen in none, of those that govern every namespace.
 */
export function criticalWindow(policies: () => Promise<PoliciesInForce>): IssueTerms['criticalWindow'] {
  return async (namespaces) => {
    const places = namespaces.length === 0 ? [null] : namespaces;
    const inForce = (await policies()).policies;
    return shortest(places.flatMap((namespace) => governingAt(inForce, namespace)));
  };
}

/** declaredWindow is the shortest `sla.critical` of all policies in effect, in milliseconds; null when none declares one. */
export async function declaredWindow(policies: () => Promise<PoliciesInForce>): Promise<number | null> {
  return shortest((await policies()).policies);
}

function shortest(policies: readonly Declaring[]): number | null {
  const declared = policies.flatMap(({ spec }) => {
    const { critical } = spec.sla ?? {};
    const ms = critical === undefined ? null : parseDuration(critical);
    return ms === null ? [] : [ms];
  });
  return declared.length === 0 ? null : Math.min(...declared);
}
