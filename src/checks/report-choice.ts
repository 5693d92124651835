import { parseTime, type Digest } from '../base/index.ts';
import type { Finding, ScanRecord } from '../findings/index.ts';
import { entryFor } from '../image/index.ts';
import type { ScanReport } from '../scan/index.ts';

/**
 * newest gives the newest of some reports, or null. Where a platform is asked for (`linux/arm64`), of those that are of it; else of those
 * that do not say of which they are; else of all.
 */
export function newest(reports: readonly ScanReport[], wanted: string | null = null): ScanReport | null {
  return (wanted === null ? reports : reportsFor(reports, wanted)).reduce<ScanReport | null>(
    (best, report) => (best === null || scannedAt(report) >= scannedAt(best) ? report : best),
    null,
  );
}

function reportsFor(reports: readonly ScanReport[], wanted: string): readonly ScanReport[] {
  const named = reports.flatMap(({ platform }) => (platform ? [{ platform }] : []));
  const platform = entryFor(named, wanted)?.platform ?? null;
  const own = reports.filter((report) => (report.platform ?? null) === platform);
  return own.length > 0 ? own : reports;
}

/** A report that does not say when it was made is the oldest. */
function scannedAt({ scan }: ScanReport): number {
  const at = scan.scannedAt === null ? NaN : parseTime(scan.scannedAt);
  return Number.isNaN(at) ? -Infinity : at;
}

/** digestOf gives the digest under which the registry of this name holds the image; that of another name only if there is only one. */
export function digestOf({ digests }: ScanReport, name: string): Digest | null {
  const own = new Set(digests.filter((one) => one.name === name).map(({ digest }) => digest));
  const all = new Set(digests.map(({ digest }) => digest));
  const [only, ...others] = own.size > 0 ? own : all;
  return only === undefined || others.length > 0 ? null : only;
}

/** carryOver keeps what people and catalogues said of a CVE on this digest: it still holds when the image is scanned again. */
export function carryOver(scan: ScanRecord, before: ScanRecord | null): ScanRecord {
  if (before === null || !before.findings || !scan.findings) return scan;
  const known = new Map<string, Pick<Finding, 'triagedUntil' | 'triagedUntilMs' | 'knownExploited'>>();
  for (const finding of before.findings) {
    const there = known.get(finding.cve) ?? finding;
    const { triagedUntil, triagedUntilMs } = finding.triagedUntilMs > there.triagedUntilMs ? finding : there;
    // That a CVE is exploited is said of it once for all packages in which it was found.
    const knownExploited =
      finding.knownExploited === true || there.knownExploited === true
        ? true
        : (finding.knownExploited ?? there.knownExploited);
    known.set(finding.cve, { triagedUntil, triagedUntilMs, knownExploited });
  }
  const findings = scan.findings.map((finding) => {
    const said = known.get(finding.cve);
    if (said === undefined) return finding;
    const { triagedUntil, triagedUntilMs } = said;
    return {
      ...finding,
      triagedUntil,
      triagedUntilMs,
      knownExploited: finding.knownExploited ?? said.knownExploited,
    };
  });
  return { ...scan, findings };
}
