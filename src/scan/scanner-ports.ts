import type { Digest } from '../base/index.ts';
import type { Credential, ImageReference, PlatformEntry, PullPlace } from '../image/index.ts';
import type { ScanReport } from './scan-report.ts';

/** DatabaseState is what a scanner knows vulnerabilities from. */
export interface DatabaseState {
  /** Version of the program, or of the server that looks vulnerabilities up; empty where it does not say. */
  readonly version: string;
  /** Milliseconds at which its database was made; null where there is none yet, or it does not say. */
  readonly updatedAt: number | null;
}

/** ScanOrder is one image that is to be scanned. */
export interface ScanOrder {
  /** Names the digest. */
  readonly reference: ImageReference;
  /** Where it is fetched from, and how that is called; absent: from its registry, over TLS. The report is of the reference all the same. */
  readonly from?: PullPlace | undefined;
  /** Shown only to the host that it is fetched from; null to ask anonymously. */
  readonly credential: Credential | null;
  /** The platform of the image (`linux/arm64`); absent or null: the scanner's own. */
  readonly platform?: string | null | undefined;
  readonly signal: AbortSignal;
}

/**
 * Scanner runs a scanner. A report is given whole or not at all: every method throws ScannerError where the program failed, was too
 * slow, wrote too much or ended in the middle.
 */
export interface Scanner {
  /** As records name it: `trivy`, `grype`. */
  readonly name: string;
  /** Scans one image. The report says which scanner made it, of which version and with which database. */
  scan(order: ScanOrder): Promise<ScanReport>;
  /** Tells which database there is. */
  state(signal: AbortSignal): Promise<DatabaseState>;
  /** Brings the database up to date, where that is the scanner's own business, and tells which there is then. No scan may be under way. */
  refresh(signal: AbortSignal): Promise<DatabaseState>;
}

/** ChosenImage is the image behind a digest that is scanned next. */
export interface ChosenImage {
  /** The digest itself where it is not an index. */
  readonly digest: Digest;
  /** The platform that it was chosen for; null where the digest is not an index, or nobody knows. */
  readonly platform: string | null;
  /** The images of the index, null for no index; left out where that is not known. */
  readonly entries?: readonly PlatformEntry[] | null | undefined;
}

/**
 * ImageChoice tells which image is scanned where a reference that names a digest leads to images for several platforms: the digest itself
 * where it is an image, else the one that `choose` gives of those in the index. Scanners choose among them in another way than nodes do,
 * and the person who pushed the index could show them a clean one. Throws an IpoError where the registry does not say, or nothing is
 * chosen.
 */
export type ImageChoice = (
  reference: ImageReference,
  choose: (entries: readonly PlatformEntry[]) => PlatformEntry | null,
  signal: AbortSignal,
) => Promise<ChosenImage>;

/** ScanSubjects tell how images can be had that are known by their digest. */
export interface ScanSubjects {
  /** Names (`docker.io/library/nginx:1`, `ghcr.io/acme/web@sha256:…`) that the digest was seen under, newest first, 1,000 at most. */
  namesOf(digest: Digest): Promise<readonly string[]>;
  /** The platforms that nodes have; none where nobody said. */
  nodePlatforms(): Promise<readonly string[]>;
}

/** RescanQuestion asks which images are to be scanned again. */
export interface RescanQuestion {
  /** When the database of today was made. */
  readonly databaseAt: number;
  /** The name of the scanner of today. */
  readonly scanner: string;
  /** Only scans before this time are old enough. */
  readonly scannedBefore: number;
  /** Only images that ran, or were reviewed, since this time are in use. */
  readonly usedSince: number;
  readonly limit: number;
}

/** RescanStore tells which images are to be scanned again. */
export interface RescanStore {
  /**
   * Digests in use whose scan was made with an older database, or by a scanner that did not say or is another, or that lack a scan of a
   * platform that nodes have; those that wait in the queue are left out. What lacks one first, then the oldest scan.
   */
  due(question: RescanQuestion): Promise<readonly Digest[]>;
}

/** VulnerabilityDatabaseState is how the vulnerability database stands; times in milliseconds, null for never. */
export interface VulnerabilityDatabaseState {
  readonly version: string | null;
  /** When it was made. */
  readonly updatedAt: number | null;
  /** When it came in, and when it was last seen to be the newest. */
  readonly fetchedAt: number | null;
  readonly checkedAt: number | null;
  /** Why the last attempt failed; null when it did not. */
  readonly lastError: string | null;
}

/** VulnerabilityDatabaseStore keeps that state for all replicas. */
export interface VulnerabilityDatabaseStore {
  state(): Promise<VulnerabilityDatabaseState>;
  /** Notes the database that a replica has. One that is older than what another replica has changes nothing but that it was checked. */
  checked(state: DatabaseState, at: number): Promise<void>;
  /** Notes why an attempt failed. */
  failed(message: string): Promise<void>;
}
