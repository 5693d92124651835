import { severityRank, type Finding, type Severity } from '../../findings/index.ts';
import { ReportError } from './report-error.ts';

/** RawFinding is a vulnerability as a report writes it. */
export interface RawFinding {
  readonly cve: string;
  readonly severity: string | null | undefined;
  readonly package: string | null | undefined;
  readonly installed: string | null | undefined;
  readonly fixed: string | null | undefined;
  readonly purl: string | null | undefined;
}

/** toFinding makes a finding of an entry at a path of a report; Trivy does not say whether it is exploited. Throws ReportError. */
export function toFinding(
  raw: RawFinding,
  path: readonly (string | number)[],
  file: string,
  severityKey: string,
): Finding {
  const severity = raw.severity || 'UNKNOWN';
  const rank = severityRank(severity);
  if (rank === undefined) {
    throw new ReportError(
      file,
      `${[...path, severityKey].join('.')} is not one of CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN`,
    );
  }
  return {
    cve: raw.cve,
    severity: severity as Severity,
    rank,
    package: raw.package ?? '',
    installed: raw.installed ?? '',
    purl: raw.purl || null,
    fixed: raw.fixed || null,
    knownExploited: null,
    triagedUntil: null,
    triagedUntilMs: -Infinity,
  };
}
