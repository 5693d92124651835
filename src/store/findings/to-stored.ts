import type { Finding } from '../../findings/index.ts';
import { ratedBy } from './advisories.ts';
import type { CountedFinding } from './cve-totals.ts';
import { storableText } from '../sql/storable.ts';
import type { StoredFinding } from './stored-findings.ts';

/**
 * toStored makes findings of a report such as they are kept: texts as both engines hold them, marked as the catalogue has them. Where there is none, what one said of a CVE on this digest still
 * holds when a scanner that does not ask it scans again.
 */
export function toStored(
  findings: readonly Finding[],
  before: readonly CountedFinding[],
  listed: ReadonlySet<string> | null,
): StoredFinding[] {
  const said = new Map<string, number>();
  for (const { cve, known_exploited } of before)
    if (known_exploited !== null) said.set(cve, Math.max(known_exploited, said.get(cve) ?? 0));
  return findings.map((finding) => {
    const cve = storableText(finding.cve);
    const { knownExploited } = finding;
    const told = knownExploited === null ? (said.get(cve) ?? null) : Number(knownExploited);
    return {
      cve,
      severity: finding.severity,
      rank: finding.rank,
      package: storableText(finding.package),
      installed: storableText(finding.installed),
      fixed: finding.fixed === null ? null : storableText(finding.fixed),
      known_exploited: listed === null ? told : Number(listed.has(cve.toUpperCase())),
      purl: finding.purl ? storableText(finding.purl) : null,
      platforms: null,
      rated_by: ratedBy(finding.advisory),
      foundAt: finding.foundAt ?? null,
    };
  });
}
