import * as z from 'zod/mini';
import { formatTime, type Digest } from '../base/index.ts';
import { countBySeverity, type Finding, type ScanFailure, type ScanRecord } from '../findings/index.ts';
import { cut, fitting } from './sizes.ts';

const about = (description: string) => z.meta({ description });
const text = (description: string, max = 256) => z.string().check(z.maxLength(max), about(description));
const time = (description: string) => z.string().check(about(description), z.meta({ format: 'date-time' }));
const count = (description: string) => z.int().check(z.minimum(0), about(description));

/** MAX_REPORT_FINDINGS is the maximum of findings on one image report object. */
const MAX_REPORT_FINDINGS = 1000;
/** Triage decisions that a report tells; as many as it has findings. */
const MAX_TRIAGE = MAX_REPORT_FINDINGS;
/** Platforms that cannot be scanned and are told. */
const MAX_REPORT_FAILURES = 20;
/** Bytes of both lists, so that the object stays below the 1.5 MiB that etcd takes, whatever a scanner tells. */
const MAX_FINDINGS_BYTES = 900_000;
const MAX_TRIAGE_BYTES = 400_000;

const finding = z
  .object({
    cve: text('Name of the vulnerability.'),
    severity: text('`CRITICAL`, `HIGH`, `MEDIUM`, `LOW` or `UNKNOWN`.', 16),
    package: text('Package that has it.'),
    installed: text('Version that is installed.'),
    fixed: z.optional(text('Version that repairs it; absent where there is none.')),
    knownExploited: z.optional(
      z.boolean().check(about('Whether it is known to be exploited; absent when that was never asked.')),
    ),
    triagedUntil: z.optional(time('Until when a triage decision covers it.')),
  })
  .check(about('A vulnerability of a package.'));

const triage = z
  .object({
    cve: text('Name of the vulnerability.'),
    triagedBy: text('Account that decided, as `user:<account_id>`.'),
    until: time('When the decision ends.'),
    reason: z.optional(text('Why it does not count.', 1024)),
  })
  .check(about('A decision that a vulnerability does not count on this image until a time.'));

const scanFailure = z
  .object({
    platform: z.optional(text('Platform that cannot be scanned; absent where none was chosen.', 64)),
    reason: text('Why, in one word: `certificate`, `rate_limited`, `no_packages` and so on.', 32),
    message: text('Why, in a sentence.', 400),
    since: time('Since when no attempt succeeded.'),
  })
  .check(about('Why the image, or one of its platforms, cannot be scanned.'));

/** imageReportSchema is a ClusterImageReport: its CustomResourceDefinition is made from it. */
export const imageReportSchema = z.object({
  spec: z
    .object({
      digest: text('Digest of the image, as `sha256:<hex>`.', 128),
      image: text('Newest name of the image.', 1024),
    })
    .check(about('Which image the report is on.')),
  status: z
    .object({
      state: text('`Blocked`, `Unscanned`, `Compliant` or `Not compliant`.', 32),
      scannedAt: z.optional(time('When the image was scanned last; absent when it never was.')),
      scanner: z.optional(
        z
          .object({
            name: text('Name of the scanner.'),
            version: text('Version of the scanner.'),
            dbUpdatedAt: z.optional(text('When its database was made.', 64)),
          })
          .check(about('What scanned it.')),
      ),
      scanFailures: z.optional(
        z
          .array(scanFailure)
          .check(
            z.maxLength(MAX_REPORT_FAILURES),
            about('Why it cannot be scanned, by platform; absent where the newest attempts succeeded.'),
          ),
      ),
      os: z.optional(
        z
          .object({
            family: text('Family of the operating system.'),
            name: text('Its version.'),
            endOfLife: z.boolean().check(about('Whether its maker no longer serves it.')),
          })
          .check(about('Operating system of the image.')),
      ),
      summary: z.optional(
        z
          .object({
            critical: count('Findings of severity CRITICAL.'),
            high: count('Findings of severity HIGH.'),
            medium: count('Findings of severity MEDIUM.'),
            low: count('Findings of severity LOW.'),
            unknown: count('Findings of no known severity.'),
            findings: count('Findings in all, those that the list leaves out among them.'),
            listed: count('Findings in the list.'),
          })
          .check(about('Findings by severity.')),
      ),
      findings: z.optional(
        z
          .array(finding)
          .check(
            z.maxLength(MAX_REPORT_FINDINGS),
            about('Findings of the newest scan, most severe first, at most 1000.'),
          ),
      ),
      triage: z.optional(
        z.array(triage).check(z.maxLength(MAX_TRIAGE), about('Active triage decisions on the image.')),
      ),
    })
    .check(about('What is known of the image.')),
});

/** ImageReport is the content of one. */
export type ImageReport = z.infer<typeof imageReportSchema>;

/** ReportedImage is what a report is made from. Times are UTC milliseconds. */
export interface ReportedImage {
  readonly digest: Digest;
  readonly name: string;
  readonly state: string;
  readonly scan: ScanRecord | null;
  readonly failures: readonly ScanFailure[];
  readonly triage: readonly {
    readonly cve: string;
    readonly accountId: string | null;
    readonly reason: string;
    readonly until: number;
  }[];
}

/** reportName gives the name of the object that reports on a digest. */
export function reportName(digest: string): string {
  return digest.replace(':', '-');
}

/** toImageReport makes the report of an image. Texts of scanners are cut to what one may be long, and the lists to what etcd takes. */
export function toImageReport(image: ReportedImage): ImageReport {
  const { digest, name, state, scan, failures, triage: decisions } = image;
  const findings = scan?.findings ?? null;
  const sorted = findings?.toSorted(bySeverity).slice(0, MAX_REPORT_FINDINGS).map(toFinding) ?? null;
  const listed = sorted && fitting(sorted, MAX_FINDINGS_BYTES);
  const triaged = decisions.slice(0, MAX_TRIAGE).map(({ cve, accountId, reason, until }) => ({
    cve: cut(cve),
    triagedBy: cut(`user:${accountId ?? 'unknown'}`),
    until: formatTime(until),
    ...(reason !== '' && { reason: cut(reason, 1024) }),
  }));
  return {
    spec: { digest, image: cut(name, 1024) },
    status: {
      state,
      ...(failures.length > 0 && {
        scanFailures: failures.slice(0, MAX_REPORT_FAILURES).map(toScanFailure),
      }),
      ...(scan !== null && {
        ...(scan.scannedAt !== null && { scannedAt: scan.scannedAt }),
        ...(scan.scanner !== null && {
          scanner: {
            name: cut(scan.scanner.name),
            version: cut(scan.scanner.version),
            ...(scan.scanner.dbUpdatedAt !== null && { dbUpdatedAt: cut(scan.scanner.dbUpdatedAt, 64) }),
          },
        }),
        ...(scan.os !== null && {
          os: { family: cut(scan.os.family), name: cut(scan.os.name), endOfLife: scan.os.eosl },
        }),
      }),
      ...(findings !== null &&
        listed !== null && {
          summary: { ...countBySeverity(findings), findings: findings.length, listed: listed.length },
          findings: [...listed],
        }),
      ...(triaged.length > 0 && { triage: [...fitting(triaged, MAX_TRIAGE_BYTES)] }),
    },
  };
}

/** Not how often: an object is not written again with each attempt. */
function toScanFailure({ platform, reason, message, since }: ScanFailure): z.infer<typeof scanFailure> {
  return {
    ...(platform !== null && { platform: cut(platform, 64) }),
    reason,
    message: cut(message, 400),
    since: formatTime(since),
  };
}

function toFinding(one: Finding): z.infer<typeof finding> {
  return {
    cve: cut(one.cve),
    severity: one.severity,
    package: cut(one.package),
    installed: cut(one.installed),
    ...(one.fixed !== null && { fixed: cut(one.fixed) }),
    ...(one.knownExploited !== null && { knownExploited: one.knownExploited }),
    ...(one.triagedUntil !== null && { triagedUntil: one.triagedUntil }),
  };
}

/** Of one severity, those known to be exploited first; else as the scanner told them. */
function bySeverity(a: Finding, b: Finding): number {
  return b.rank - a.rank || Number(b.knownExploited ?? false) - Number(a.knownExploited ?? false);
}
