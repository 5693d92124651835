import { formatTime, parseTime, type Digest } from '../../base/index.ts';
import type { Finding } from '../../findings/index.ts';
import { parseReference } from '../../image/index.ts';
import type { ScanReport } from '../../scan/index.ts';
import { toFinding } from './finding.ts';
import { explainForeign, parseJson } from './not-a-report.ts';
import { read } from './read.ts';
import { ReportError } from './report-error.ts';
import {
  SOURCE_LABEL,
  trivyReport,
  trivyResult,
  trivyVulnerability,
  type TrivyDocument,
} from './report-schema.ts';

/** MAX_REPORT_BYTES bounds a report; one of an image with many thousand findings has a few megabytes. */
export const MAX_REPORT_BYTES = 64 * 1024 * 1024;

/** Results of these classes are what a scan for vulnerabilities leaves, even when it found none. */
const VULNERABILITY_CLASSES: ReadonlySet<string> = new Set(['os-pkgs', 'lang-pkgs']);

/**
 * parseTrivyReport reads a report of `trivy image`, `trivy fs` or `trivy repo` (schema version 2). A report without a
 * result of packages is not a clean scan: the scan may have been for secrets alone, or have recognised nothing.
 * `known_exploited` is unknown to Trivy, so it is null. Throws ReportError.
 */
export function parseTrivyReport(text: string, file: string): ScanReport {
  return toScanReport(parseJson(text, file), file);
}

/** toScanReport reads a report of Trivy that is a JSON value already, as parseTrivyReport does. Throws ReportError. */
export function toScanReport(value: unknown, file: string): ScanReport {
  const foreign = explainForeign(value, file);
  if (foreign !== null) throw foreign;
  const report = read(trivyReport, value, [], file);
  const { Metadata: metadata } = report;
  return {
    file,
    artifact: report.ArtifactName ?? '',
    type: report.ArtifactType ?? '',
    ...namesOf(report),
    imageId: metadata?.ImageID || null,
    source: metadata?.ImageConfig?.config?.Labels?.[SOURCE_LABEL] || null,
    scan: {
      scannedAt: createdAt(report.CreatedAt, file),
      scanner: { name: 'trivy', version: report.Trivy?.Version ?? '', dbUpdatedAt: null },
      os: metadata?.OS
        ? { family: metadata.OS.Family ?? '', name: metadata.OS.Name ?? '', eosl: metadata.OS.EOSL ?? false }
        : null,
      findings: findingsOf(report, file),
    },
  };
}

/** An archive or a directory has a name too, but none under which an image is known. */
function namesOf({
  ArtifactName,
  ArtifactType,
  Metadata,
}: TrivyDocument): Pick<ScanReport, 'names' | 'digests'> {
  if (ArtifactType && ArtifactType !== 'container_image') return { names: [], digests: [] };
  const names = new Set<string>();
  const digests = new Map<string, { name: string; digest: Digest }>();
  const name = /\.(?:tar|tgz|tar\.gz)$/.test(ArtifactName ?? '') ? null : ArtifactName;
  for (const text of [
    name,
    Metadata?.Reference,
    ...(Metadata?.RepoTags ?? []),
    ...(Metadata?.RepoDigests ?? []),
  ]) {
    const reference = parseReference(text ?? '');
    if ('fault' in reference) continue; // Trivy writes empty names, and paths of archives
    const { name, tag, digest } = reference;
    if (digest !== null) digests.set(`${name}@${digest}`, { name, digest });
    if (tag !== null || digest === null) names.add(`${name}:${tag ?? 'latest'}`);
  }
  return { names: [...names], digests: [...digests.values()] };
}

function findingsOf({ Results: results }: TrivyDocument, file: string): Finding[] | null {
  let findings: Finding[] | null = null;
  for (const [i, value] of (results ?? []).entries()) {
    const result = read(trivyResult, value, ['Results', i], file);
    if (!VULNERABILITY_CLASSES.has(result.Class ?? '') && result.Vulnerabilities === undefined) continue;
    findings ??= [];
    for (const [j, entry] of (result.Vulnerabilities ?? []).entries()) {
      const path = ['Results', i, 'Vulnerabilities', j];
      const found = read(trivyVulnerability, entry, path, file);
      const { VulnerabilityID: cve, PkgName: name, InstalledVersion: installed, FixedVersion: fixed } = found;
      findings.push(
        toFinding({ cve, package: name, installed, fixed, severity: found.Severity }, path, file, 'Severity'),
      );
    }
  }
  return findings;
}

/** The time of the scan in UTC; null for none, and for Go's zero time. */
function createdAt(text: string | null | undefined, file: string): string | null {
  if (!text || text.startsWith('0001-01-01')) return null;
  const ms = parseTime(text);
  if (Number.isNaN(ms)) throw new ReportError(file, 'CreatedAt is not an RFC 3339 time');
  return formatTime(ms);
}
