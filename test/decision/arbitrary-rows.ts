import fc from 'fast-check';
import { formatTime } from '../../src/base/index.ts';
import { effectiveDigest, NO_FACTS, type Subject } from '../../src/facts/index.ts';
import { parseReference } from '../../src/image/index.ts';
import type { LedgerRow } from '../../src/ledger/index.ts';
import { SIGNALS, type Policy } from '../../src/policy/index.ts';
import { arbitraryImageFacts } from './arbitrary-facts.ts';
import { DIGESTS, flag, GROUPS, IMAGES, NAMESPACES, NOW, seldom, some } from './pools.ts';

const context = fc.record({
  signals: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 5, arbitrary: some(SIGNALS, 3).map((signals): readonly string[] => signals) },
  ),
  exposedBy: fc.option(fc.constantFrom('Service shop/web', 'Ingress shop/front')),
});

/** arbitrarySubject gives an image of a pod with its facts, its context, and now and then a meter or a bypass. */
export function arbitrarySubject(): fc.Arbitrary<Subject> {
  return fc
    .record({
      image: fc.constantFrom(...IMAGES),
      facts: arbitraryImageFacts(),
      resolved: flag,
      context,
      quota: seldom(fc.constant('monthly allowance of 100 image names exceeded')),
      coldImagePolicy: fc.constantFrom('AllowAndScan' as const, 'DenyUntilScanned' as const),
      breakGlass: seldom(
        fc.record({
          reason: fc.constantFrom('INC-4711', ' '),
          groups: some(GROUPS).map((groups): readonly string[] => groups),
        }),
      ),
    })
    .map(({ image, facts, resolved, context, quota, ...rest }) => {
      const reference = parseReference(image);
      if ('fault' in reference) throw new Error(image);
      const digest = effectiveDigest(resolved ? facts.digest : null, reference);
      return {
        ...rest,
        ...context,
        reference,
        digest,
        facts: digest === facts.digest ? facts : NO_FACTS,
        quota,
      };
    });
}

/**
 * arbitraryLedgerRow gives one row of an image of the pool, within `days` before NOW; its policy and revision are
 * those of `policies`, where given. Ids are all 1: see `toLedger`.
 */
export function arbitraryLedgerRow(policies: readonly Policy[] = [], days = 40): fc.Arbitrary<LedgerRow> {
  return fc
    .record({
      ago: fc.integer({ min: 0, max: days * 86_400 }),
      namespace: fc.constantFrom(...NAMESPACES),
      image: fc.constantFrom(...IMAGES, 'not a reference', null),
      digest: fc.option(fc.constantFrom(...DIGESTS), { freq: 4 }),
      recorded: fc.constantFrom(
        { allowed: true, reason: '', label: null },
        { allowed: true, reason: 'audit mode: known exploited: CVE-2021-44228', label: 'known_exploited' },
        { allowed: false, reason: 'vulnerabilities at or above HIGH: CVE-2022-0778', label: 'threshold' },
        { allowed: false, reason: 'monthly allowance of 100 image names exceeded', label: 'quota' },
        { allowed: false, reason: 'digest required: nginx', label: null },
        { allowed: false, reason: 'words of an earlier release', label: null },
      ),
      policy: fc.constantFrom(...policies, ...policies, null),
      kind: fc.constantFrom('review', 'review', 'review', null, 'reconcile', 'unreviewed'),
      breakGlass: fc.constantFrom(false, false, false, false, true),
      context,
    })
    .map(({ ago, recorded, policy, breakGlass, context: { signals, exposedBy }, ...row }) => ({
      id: 1,
      time: formatTime(NOW - ago * 1000),
      cluster: 'shop-eu',
      pod: 'web-6d5c8b9f4-x2x9k',
      container: 'web',
      ...row,
      ...(breakGlass ? { allowed: true, reason: '', label: null, break_glass_reason: 'INC-4711' } : recorded),
      break_glass: breakGlass,
      pod_level: row.image === null,
      policy: policy?.name ?? null,
      policy_revision: policy?.revision ?? '',
      signals,
      exposed_by: exposedBy,
    }));
}

/** toLedger orders rows as an export does: newest first, with ids that fall to 1. */
export function toLedger(rows: readonly LedgerRow[]): LedgerRow[] {
  const sorted = rows.toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
  return sorted.map((row, i) => ({ ...row, id: rows.length - i }));
}
