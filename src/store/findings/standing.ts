import { byCodeUnit } from '../../base/index.ts';
import type { CountedFinding } from './cve-totals.ts';

/** Standing is a CVE as the scans in use report it. */
export interface Standing {
  readonly rank: number;
  readonly package: string;
  readonly fixed: string | null;
  readonly others: string | null;
  readonly isFixable: boolean;
  readonly isExploited: boolean;
}

/** standingAmong gives the CVEs of findings: one stands while one finding of it is reported, on whichever platform. */
export function standingAmong(found: readonly CountedFinding[]): Map<string, Standing> {
  const standing = new Map<string, Standing>();
  for (const [cve, same] of Map.groupBy(found, (row) => row.cve)) standing.set(cve, standingOf(same));
  return standing;
}

function standingOf(found: readonly CountedFinding[]): Standing {
  const [first, ...rest] = found.length === 1 ? found : found.toSorted(byWeight);
  if (first === undefined) throw new Error('a CVE without a finding');
  const others = new Set<string>();
  for (const one of rest)
    if (one.package !== first.package || one.fixed !== first.fixed) others.add(pairOf(one));
  return {
    rank: first.rank,
    package: first.package,
    fixed: first.fixed,
    others: others.size === 0 ? null : `[${[...others].toSorted(byCodeUnit).join(',')}]`,
    isFixable: found.some(({ fixed }) => fixed !== null),
    isExploited: found.some(({ known_exploited }) => known_exploited === 1),
  };
}

/** The highest severity first, then what can be fixed; the same whatever the order of the report. */
function byWeight(a: CountedFinding, b: CountedFinding): number {
  return (
    b.rank - a.rank ||
    Number(a.fixed === null) - Number(b.fixed === null) ||
    byCodeUnit(a.package, b.package) ||
    byCodeUnit(a.fixed ?? '', b.fixed ?? '')
  );
}

function pairOf(finding: CountedFinding): string {
  return JSON.stringify([finding.package, finding.fixed]);
}
