import type { Finding } from './scan-record.ts';
import { SEVERITIES, type Severity } from './severity.ts';

/** SeverityCounts count findings (not CVEs: one CVE in two packages is two) by severity, as scanners do. */
export type SeverityCounts = Readonly<Record<Lowercase<Severity>, number>>;

/** SEVERITY_NAMES are the severities as they are written in counts, most severe first. */
export const SEVERITY_NAMES = SEVERITIES.toReversed().map((name) =>
  name.toLowerCase(),
) as Lowercase<Severity>[];

/** countBySeverity counts findings by severity. */
export function countBySeverity(findings: readonly Pick<Finding, 'rank'>[]): SeverityCounts {
  const byRank = SEVERITIES.map(() => 0);
  for (const { rank } of findings) byRank[rank] = (byRank[rank] ?? 0) + 1;
  const [unknown = 0, low = 0, medium = 0, high = 0, critical = 0] = byRank;
  return { critical, high, medium, low, unknown };
}
