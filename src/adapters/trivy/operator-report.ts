import * as z from 'zod/mini';
import { formatTime, isDigest, parseTime } from '../../base/index.ts';
import { parseReference } from '../../image/index.ts';
import { IMAGE_TYPE, type ScanReport } from '../../scan/index.ts';
import { toFinding } from './finding.ts';
import { toPackageUrl } from './package-url.ts';
import { presentsOf } from './presented.ts';
import { read } from './read.ts';
import { ReportError } from './report-error.ts';

const text = z.nullish(z.string());

/** The object's parts that a scan record needs; its entries are read one by one. */
const operatorReport = z.object({
  report: z.object({
    updateTimestamp: text,
    scanner: z.nullish(z.object({ version: text })),
    registry: z.nullish(z.object({ server: text })),
    artifact: z.object({ repository: z.string(), digest: text, tag: text }),
    os: z.nullish(z.object({ family: text, name: text, eosl: z.nullish(z.boolean()) })),
    vulnerabilities: z.nullish(z.array(z.unknown())),
  }),
});

const operatorVulnerability = z.object({
  vulnerabilityID: z.string().check(z.minLength(1)),
  resource: text,
  installedVersion: text,
  fixedVersion: text,
  severity: text,
  packagePURL: text,
  packageType: text,
});

/** isOperatorReport tells a VulnerabilityReport of trivy-operator from other JSON. */
export function isOperatorReport(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  return (
    kind === 'VulnerabilityReport' && typeof apiVersion === 'string' && apiVersion.startsWith('aquasecurity.')
  );
}

/**
 * toOperatorScanReport reads a VulnerabilityReport of trivy-operator. The object does not say whether packages were found at all: one with
 * neither an operating system nor a finding is not a clean scan. Throws ReportError.
 */
export function toOperatorScanReport(value: unknown, file: string): ScanReport {
  const { report } = read(operatorReport, value, [], file);
  const { artifact, registry, os } = report;
  const server = registry?.server || 'index.docker.io';
  const name = parseReference(`${server}/${artifact.repository}${artifact.tag ? `:${artifact.tag}` : ''}`);
  if ('fault' in name) throw new ReportError(file, `report.artifact names no image: it ${name.fault}`);
  const { digest } = artifact;
  const found = findingsOf(report.vulnerabilities ?? [], file);
  const system = systemOf(os);
  return {
    file,
    artifact: name.text,
    type: IMAGE_TYPE,
    names: name.tag === null ? [] : [`${name.name}:${name.tag}`],
    digests: digest && isDigest(digest) ? [{ name: name.name, digest }] : [],
    imageId: null,
    source: null,
    scan: {
      scannedAt: updatedAt(report.updateTimestamp, file),
      scanner: { name: 'trivy', version: report.scanner?.version ?? '', dbUpdatedAt: null },
      os: system,
      findings: found.length === 0 && system === null ? null : found,
    },
  };
}

function systemOf(os: z.infer<typeof operatorReport>['report']['os']): ScanReport['scan']['os'] {
  return os?.family || os?.name
    ? { family: os.family ?? '', name: os.name ?? '', eosl: os.eosl ?? false }
    : null;
}

function findingsOf(entries: readonly unknown[], file: string) {
  const presents = presentsOf();
  return entries.map((entry, i) => {
    const path = ['report', 'vulnerabilities', i];
    const { vulnerabilityID, resource, installedVersion, fixedVersion, severity, packagePURL, packageType } =
      read(operatorVulnerability, entry, path, file);
    const raw = {
      cve: vulnerabilityID,
      package: resource,
      installed: installedVersion,
      fixed: fixedVersion,
      severity,
      purl: packagePURL || toPackageUrl(packageType ?? '', resource ?? ''),
    };
    return { ...toFinding(raw, path, file, 'severity'), ...presents.operator(entry) };
  });
}

function updatedAt(value: string | null | undefined, file: string): string | null {
  if (!value) return null;
  const ms = parseTime(value);
  if (Number.isNaN(ms)) throw new ReportError(file, 'report.updateTimestamp is not an RFC 3339 time');
  return formatTime(ms);
}
