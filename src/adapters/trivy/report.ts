import type * as z from 'zod/mini';
import { formatTime, parseTime, type Digest } from '../../base/index.ts';
import { severityRank, type Finding, type ScanRecord, type Severity } from '../../findings/index.ts';
import { parseReference } from '../../image/index.ts';
import { explainForeign, parseJson } from './not-a-report.ts';
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

/** TrivyReport is what one report of Trivy says of one artifact. */
export interface TrivyReport {
  readonly file: string;
  /** As Trivy was told: an image reference, a directory, an archive. */
  readonly artifact: string;
  /** `container_image`, `filesystem`, `repository` and so on; empty where Trivy did not say. */
  readonly type: string;
  /** Normalised names with a tag (`docker.io/library/nginx:latest`) of a scanned image. */
  readonly names: readonly string[];
  /** The digests under which registries hold it, with the normalised name (`docker.io/library/nginx`). */
  readonly digests: readonly { readonly name: string; readonly digest: Digest }[];
  /** Digest of its configuration, which is not the digest that a reference names. */
  readonly imageId: string | null;
  /** The label `org.opencontainers.image.source`, or null. */
  readonly source: string | null;
  /** `findings` is null (unknown) when the report holds no result of a scan for vulnerabilities. */
  readonly scan: ScanRecord;
}

/**
 * parseTrivyReport reads a report of `trivy image`, `trivy fs` or `trivy repo` (schema version 2). A report without a
 * result of packages is not a clean scan: the scan may have been for secrets alone, or have recognised nothing.
 * `known_exploited` is unknown to Trivy, so it is null. Throws ReportError.
 */
export function parseTrivyReport(text: string, file: string): TrivyReport {
  const value = parseJson(text, file);
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
}: TrivyDocument): Pick<TrivyReport, 'names' | 'digests'> {
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
      findings.push(toFinding(entry, ['Results', i, 'Vulnerabilities', j], file));
    }
  }
  return findings;
}

function toFinding(value: unknown, path: readonly (string | number)[], file: string): Finding {
  const entry = read(trivyVulnerability, value, path, file);
  const severity = entry.Severity || 'UNKNOWN';
  const rank = severityRank(severity);
  if (rank === undefined) {
    throw new ReportError(file, `${path.join('.')}.Severity is none of CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN`);
  }
  return {
    cve: entry.VulnerabilityID,
    severity: severity as Severity,
    rank,
    package: entry.PkgName ?? '',
    installed: entry.InstalledVersion ?? '',
    fixed: entry.FixedVersion || null,
    knownExploited: null,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
  };
}

function read<T extends z.ZodMiniType>(
  schema: T,
  value: unknown,
  at: readonly (string | number)[],
  file: string,
): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const path = [...at, ...(result.error.issues[0]?.path ?? [])].map(String).join('.');
  throw new ReportError(
    file,
    `${path} is not as Trivy writes it`,
    'Check that the file was not changed by hand',
  );
}

/** The time of the scan in UTC; null for none, and for Go's zero time. */
function createdAt(text: string | null | undefined, file: string): string | null {
  if (!text || text.startsWith('0001-01-01')) return null;
  const ms = parseTime(text);
  if (Number.isNaN(ms)) throw new ReportError(file, 'CreatedAt is not an RFC 3339 time');
  return formatTime(ms);
}
