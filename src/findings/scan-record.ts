import type { Advisory, FoundAt } from './advisory.ts';
import type { Severity } from './severity.ts';

/** Finding is one vulnerability of one package of an image. */
export interface Finding {
  readonly cve: string;
  readonly severity: Severity;
  /** 0 (`UNKNOWN`) to 4 (`CRITICAL`): the severity as the gates compare it. */
  readonly rank: number;
  readonly package: string;
  readonly installed: string;
  /** Package URL as the scanner wrote it: of which type, distribution and architecture it is; null or left out where it did not say. */
  readonly purl?: string | null | undefined;
  /** The version that repairs it, or null when there is none. */
  readonly fixed: string | null;
  /** Listed as exploited in the wild; null when the catalogue was never asked. */
  readonly knownExploited: boolean | null;
  /** RFC 3339 end of the triage decision that covers it, or null. */
  readonly triagedUntil: string | null;
  /** Milliseconds at which the last triage decision on the CVE ends; -Infinity when there is none. */
  readonly triagedUntilMs: number;
  /** The platforms on which it was found; absent or null: on each that was scanned. */
  readonly platforms?: readonly string[] | null | undefined;
  /** What the scanner says of the vulnerability, and where it found the package: for people, never part of recorded facts. */
  readonly advisory?: Advisory | null | undefined;
  readonly foundAt?: FoundAt | null | undefined;
}

/** ScannerInfo names the scanner that made a record and the age of its database. */
export interface ScannerInfo {
  readonly name: string;
  readonly version: string;
  /** RFC 3339, or null when the scanner did not say. */
  readonly dbUpdatedAt: string | null;
}

/** OperatingSystem is what the scanner recognised; `eosl` tells that its maker no longer serves it. */
export interface OperatingSystem {
  readonly family: string;
  readonly name: string;
  readonly eosl: boolean;
}

/** ScannedPlatform is one image of an index that nodes run, or the platform for which a report says that it was made. */
export interface ScannedPlatform {
  /** As formatPlatform writes it: `linux/arm64`. */
  readonly platform: string;
  /** Of the image itself; null where only the report of it is known. */
  readonly digest: string | null;
  /** Whether there is a completed scan of it. */
  readonly scanned: boolean;
  readonly scannedAt: string | null;
  readonly os: OperatingSystem | null;
}

/**
 * ScanRecord is the newest completed scan of a digest. `findings` null means that they were never recorded. Where `platforms` says that
 * several images stand behind the digest, it is the worst of them: a finding counts that counts for one of them.
 */
export interface ScanRecord {
  readonly scannedAt: string | null;
  readonly scanner: ScannerInfo | null;
  readonly os: OperatingSystem | null;
  readonly findings: readonly Finding[] | null;
  /** Absent or null where a digest is scanned as a whole. */
  readonly platforms?: readonly ScannedPlatform[] | null | undefined;
}

/** isTriaged tells whether a triage decision covers the finding at a time; one that ends exactly then has expired. */
export function isTriaged(finding: Finding, at: number): boolean {
  return finding.triagedUntilMs > at;
}
