import type * as z from 'zod/mini';
import { formatTime, parseTime, type Digest, JsonKeyError, parseStrictJson } from '../../base/index.ts';
import { severityRank, type Finding, type Severity } from '../../findings/index.ts';
import { parseReference, toPlatformName } from '../../image/index.ts';
import { IMAGE_TYPE, type ScanReport } from '../../scan/index.ts';
import { GrypeError } from './grype-error.ts';
import { presentedOf } from './presented.ts';
import { grypeImage, grypeMatch, grypeReport, type GrypeDocument } from './report-schema.ts';

const SOURCE_LABEL = 'org.opencontainers.image.source';
const AGAIN = 'Make it with `grype registry:IMAGE --output json --file report.json`';

/** parseGrypeReport reads the text of what toGrypeScanReport reads. Throws GrypeError. */
export function parseGrypeReport(text: string, file: string): ScanReport {
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonKeyError)
      throw new GrypeError(file, `the report is damaged: ${error.message}`, AGAIN, error);
    throw new GrypeError(file, 'the report is not JSON, or ends in the middle', AGAIN, error);
  }
  return toGrypeScanReport(value, file);
}

/** isGrypeReport tells a report of Grype from other JSON. */
export function isGrypeReport(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const { descriptor } = value as { descriptor?: unknown };
  return (
    descriptor !== null &&
    typeof descriptor === 'object' &&
    (descriptor as { name?: unknown }).name === 'grype'
  );
}

/**
 * toGrypeScanReport reads a report of Grype. A match of an advisory (GHSA-…, ELSA-…) is a finding for each CVE that it is about, as
 * catalogues and decisions on triage name those. The report does not list packages: one with neither a distribution nor a match is not a
 * clean scan. Grype does not say whether a distribution has come to its end. Throws GrypeError.
 */
export function toGrypeScanReport(value: unknown, file: string): ScanReport {
  if (!isGrypeReport(value)) throw new GrypeError(file, 'the report is not a report of Grype', AGAIN);
  const report = read(grypeReport, value, [], file);
  const { distro, descriptor } = report;
  const findings = report.matches.flatMap((entry, i) => findingsOf(entry, i, file));
  const isOf = distro?.name || distro?.version;
  return {
    file,
    ...imageOf(report, file),
    scan: {
      scannedAt: timeOf(descriptor.timestamp),
      scanner: {
        name: 'grype',
        version: descriptor.version ?? '',
        dbUpdatedAt: timeOf(descriptor.db?.status?.built ?? descriptor.db?.built),
      },
      os: isOf ? { family: distro.name ?? '', name: distro.version ?? '', eosl: false } : null,
      findings: findings.length === 0 && !isOf ? null : findings,
    },
  };
}

function imageOf({ source }: GrypeDocument, file: string): Omit<ScanReport, 'file' | 'scan'> {
  const nothing = {
    artifact: '',
    type: source?.type ?? '',
    names: [],
    digests: [],
    imageId: null,
    source: null,
  };
  if (source?.type !== 'image') {
    return { ...nothing, artifact: typeof source?.target === 'string' ? source.target : '' };
  }
  const image = read(grypeImage, source.target, ['source', 'target'], file);
  const names = new Set<string>();
  const digests = new Map<string, { name: string; digest: Digest }>();
  const input = (image.userInput ?? '').replace(/^(?:registry|docker|podman|containerd):/, '');
  for (const text of [input, ...(image.tags ?? []), ...(image.repoDigests ?? [])]) {
    const reference = parseReference(text);
    if ('fault' in reference) continue;
    const { name, tag, digest } = reference;
    if (digest !== null) digests.set(`${name}@${digest}`, { name, digest });
    if (tag !== null) names.add(`${name}:${tag}`);
  }
  const label = image.labels?.[SOURCE_LABEL];
  return {
    artifact: input,
    type: IMAGE_TYPE,
    names: [...names],
    digests: [...digests.values()],
    imageId: image.imageID || null,
    platform: toPlatformName(image),
    source: typeof label === 'string' && label !== '' ? label : null,
  };
}

/** By the words of Grype. `Negligible` counts as low, as Trivy has it. */
const SEVERITIES: Readonly<Record<string, Severity>> = {
  critical: 'CRITICAL',
  high: 'HIGH',
  medium: 'MEDIUM',
  low: 'LOW',
  negligible: 'LOW',
  unknown: 'UNKNOWN',
  '': 'UNKNOWN',
};

function findingsOf(entry: unknown, i: number, file: string): Finding[] {
  const path = ['matches', i];
  const { vulnerability, relatedVulnerabilities, artifact } = read(grypeMatch, entry, path, file);
  const severity = SEVERITIES[(vulnerability.severity ?? '').toLowerCase()];
  if (severity === undefined)
    throw new GrypeError(
      file,
      `matches.${i}.vulnerability.severity is not one of Critical, High, Medium, Low, Negligible, Unknown`,
    );
  const { id, fix } = vulnerability;
  const cves = isCve(id) ? [] : (relatedVulnerabilities ?? []).map((one) => one.id).filter(isCve);
  return [...new Set(cves.length === 0 ? [id] : cves)].map((cve) => ({
    cve,
    severity,
    rank: severityRank(severity) ?? 0,
    package: artifact.name ?? '',
    installed: artifact.version ?? '',
    purl: artifact.purl || null,
    fixed: fix?.state === 'fixed' || fix?.state === undefined ? fix?.versions?.join(', ') || null : null,
    knownExploited: null,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
    ...presentedOf(entry, cve),
  }));
}

function isCve(id: string): boolean {
  return /^CVE-\d{4}-\d{4,}$/i.test(id);
}

/** In UTC; null for none, for Go's zero time, and for what is not a time. */
function timeOf(text: string | null | undefined): string | null {
  if (!text || text.startsWith('0001-01-01')) return null;
  const ms = parseTime(text);
  return Number.isNaN(ms) ? null : formatTime(ms);
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
  throw new GrypeError(file, `${path === '' ? 'the report' : path} is not as Grype writes it`, AGAIN);
}
