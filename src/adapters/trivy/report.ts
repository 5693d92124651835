import { formatTime, parseTime, type Digest } from '../../base/index.ts';
import type { Finding } from '../../findings/index.ts';
import { parseReference, toPlatformName } from '../../image/index.ts';
import { IMAGE_TYPE, type ScanReport } from '../../scan/index.ts';
import { toFinding } from './finding.ts';
import { toPackageUrl } from './package-url.ts';
import { explainForeign, parseJson } from './not-a-report.ts';
import { read } from './read.ts';
import { ReportError } from './report-error.ts';
import { presentsOf } from './presented.ts';
import { reportedDatabase } from './run-version.ts';
import {
  SOURCE_LABEL,
  trivyReport,
  trivyResult,
  trivyVulnerability,
  type TrivyDocument,
  type TrivyVulnerability,
} from './report-schema.ts';

/** MAX_REPORT_BYTES bounds a report; one of an image with many thousand findings has a few megabytes. */
export const MAX_REPORT_BYTES = 64 * 1024 * 1024;

/** Results of these classes are what a scan for vulnerabilities leaves, even when it found none. */
const VULNERABILITY_CLASSES: ReadonlySet<string> = new Set(['os-pkgs', 'lang-pkgs']);

/**
 * parseTrivyReport reads a report of `trivy image`, `trivy fs` or `trivy repo` (schema version 2). A report without a result of packages is
 * not a clean scan: the scan may have been only for secrets, or have recognised nothing. `known_exploited` is unknown to Trivy, so it is
 * null. Throws ReportError.
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
  const databaseAt = reportedDatabase(value);
  return {
    file,
    artifact: report.ArtifactName ?? '',
    type: typeOf(report),
    ...namesOf(report),
    imageId: metadata?.ImageID || null,
    platform: toPlatformName(metadata?.ImageConfig),
    source: metadata?.ImageConfig?.config?.Labels?.[SOURCE_LABEL] || null,
    scan: {
      scannedAt: createdAt(report.CreatedAt, file),
      scanner: {
        name: 'trivy',
        version: report.Trivy?.Version ?? '',
        dbUpdatedAt: databaseAt === null ? null : formatTime(databaseAt),
      },
      os: metadata?.OS
        ? { family: metadata.OS.Family ?? '', name: metadata.OS.Name ?? '', eosl: metadata.OS.EOSL ?? false }
        : null,
      findings: findingsOf(report, file),
    },
  };
}

/**
 * A bill of materials that was scanned, and a report that does not say of what it is, are of an image where they say of which: the id of its
 * configuration, or a digest of a registry. That of a cluster's components or of a directory has neither.
 */
function typeOf({ ArtifactType: type, Metadata }: TrivyDocument): string {
  const mayBeImage = !type || type === 'cyclonedx' || type === 'spdx';
  const isImage = Boolean(Metadata?.ImageID) || (Metadata?.RepoDigests ?? []).length > 0;
  return mayBeImage && isImage ? IMAGE_TYPE : (type ?? '');
}

/** An archive or a directory has a name too, but none under which an image is known. */
function namesOf(report: TrivyDocument): Pick<ScanReport, 'names' | 'digests'> {
  const { ArtifactName, Metadata } = report;
  if (typeOf(report) !== IMAGE_TYPE) return { names: [], digests: [] };
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

/**
 * Findings that an ignore file or a VEX document hid from Trivy's own table are findings like the others: the one who ran the scanner is
 * not trusted by any policy. What may suppress one is triage here, and statements whose signer the policy names.
 */
function findingsOf({ Results: results }: TrivyDocument, file: string): Finding[] | null {
  let findings: Finding[] | null = null;
  const presents = presentsOf();
  for (const [i, value] of (results ?? []).entries()) {
    const result = read(trivyResult, value, ['Results', i], file);
    const { Vulnerabilities: shown, ExperimentalModifiedFindings: modified } = result;
    const hidden = (modified ?? []).map(hiddenVulnerability);
    const isScan = VULNERABILITY_CLASSES.has(result.Class ?? '') || shown !== undefined;
    if (!isScan && hidden.every((entry) => entry === null)) continue;
    findings ??= [];
    const type = result.Type ?? '';
    const add = (entry: unknown, path: readonly (string | number)[]): void => {
      const presented = presents.trivy(entry, result.Target);
      findings?.push({ ...toFindingAt(entry, type, path, file), ...presented });
    };
    for (const [j, entry] of (shown ?? []).entries()) add(entry, ['Results', i, 'Vulnerabilities', j]);
    for (const [j, entry] of hidden.entries())
      if (entry !== null) add(entry.finding, ['Results', i, 'ExperimentalModifiedFindings', j, 'Finding']);
  }
  return findings;
}

/** Others that were hidden are of secrets, licences and configurations. What does not say of what it is stays to be refused. */
function hiddenVulnerability(entry: unknown): { readonly finding: unknown } | null {
  if (entry === null || typeof entry !== 'object') return { finding: entry };
  const { Type: type, Finding: finding } = entry as { Type?: unknown; Finding?: unknown };
  return typeof type === 'string' && type !== '' && type !== 'vulnerability' ? null : { finding };
}

function toFindingAt(
  entry: unknown,
  type: string,
  path: readonly (string | number)[],
  file: string,
): Finding {
  const found = isVulnerability(entry) ? entry : read(trivyVulnerability, entry, path, file);
  const { VulnerabilityID: cve, PkgName: name, InstalledVersion: installed, FixedVersion: fixed } = found;
  const purl = found.PkgIdentifier?.PURL || toPackageUrl(type, name ?? '');
  const raw = { cve, package: name, installed, fixed, purl, severity: found.Severity };
  return toFinding(raw, path, file, 'Severity');
}

/** Knows an entry as Trivy writes it without the schema, which takes as long as parsing the whole report. */
function isVulnerability(entry: unknown): entry is TrivyVulnerability {
  if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return false;
  const {
    VulnerabilityID: id,
    PkgName,
    InstalledVersion,
    FixedVersion,
    Severity,
    PkgIdentifier,
  } = entry as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    id !== '' &&
    isText(PkgName) &&
    isText(InstalledVersion) &&
    isText(FixedVersion) &&
    isText(Severity) &&
    (PkgIdentifier === undefined || isIdentifier(PkgIdentifier))
  );
}

function isIdentifier(value: unknown): boolean {
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    isText((value as { PURL?: unknown }).PURL)
  );
}

const isText = (value: unknown): boolean =>
  typeof value === 'string' || value === undefined || value === null;

/** The time of the scan in UTC; null for none, and for Go's zero time. */
function createdAt(text: string | null | undefined, file: string): string | null {
  if (!text || text.startsWith('0001-01-01')) return null;
  const ms = parseTime(text);
  if (Number.isNaN(ms)) throw new ReportError(file, 'CreatedAt is not an RFC 3339 time');
  return formatTime(ms);
}
