import type { Digest } from '../base/index.ts';
import type { ImageFacts } from '../facts/index.ts';
import type {
  Advisory,
  FoundAt,
  OperatingSystem,
  ScanFailure,
  ScannerInfo,
  SeverityCounts,
} from '../findings/index.ts';
import type { Place, PolicyAnswer } from './compliance.ts';
import type { ImageState, StateCounts } from './state.ts';

/** Listed is a part of a list with the count of the whole. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Page says which part of a list is wanted; limit null for all that follows the offset. */
export interface Page {
  readonly limit: number | null;
  readonly offset: number;
}

/** Review is a ledger row as the inventory tells it. Times are milliseconds. */
export interface Review {
  readonly rowId: number;
  readonly at: number;
  readonly allowed: boolean;
  readonly namespace: string | null;
  readonly image: string;
  readonly reason: string;
  readonly label: string | null;
  readonly policy: string | null;
  readonly breakGlass: boolean;
}

/** Sighting is the newest ledger row of an image in one namespace. */
export interface Sighting extends Review, Place {
  readonly namespace: string;
}

/** ScanSummary is what the list reports the scan in use. */
export interface ScanSummary {
  readonly scannedAt: number | null;
  readonly os: OperatingSystem | null;
  readonly findings: SeverityCounts;
  /** Findings that have a fixed version, that are known to be exploited, and that a triage decision covers now. */
  readonly fixable: number;
  readonly knownExploited: number;
  readonly triaged: number;
  /** The platforms that the digest has images of, and whether each is scanned; absent where it is scanned as a whole. */
  readonly platforms?: readonly { readonly platform: string; readonly scanned: boolean }[];
}

/** ImageToJudge is an image whose state may no longer hold, with what it was judged from last. */
export interface ImageToJudge {
  readonly digest: Digest;
  /** Goes up with every change; a judgement is taken only while it stands. */
  readonly touched: number;
  readonly factsVersion: number;
  readonly hasFacts: boolean;
  /** Newest first. */
  readonly names: readonly string[];
  /** Whether its facts say these names; else they are to be made again first. */
  readonly namesInFacts: boolean;
  readonly lastRowId: number | null;
  readonly lastAllowed: boolean | null;
  readonly sightings: readonly Sighting[];
  /** The last judgement, or null. */
  readonly before: Pick<Judged, 'basis' | 'scan' | 'next' | 'judgedUntil'> | null;
}

/** Judged is the state of an image with what its list shows, as it is kept. */
export interface Judged {
  readonly digest: Digest;
  readonly touched: number;
  readonly judgedFor: string;
  readonly judgedUntil: number | null;
  readonly basis: string;
  readonly state: ImageState;
  readonly attention: number;
  readonly severity: number;
  readonly name: string;
  readonly search: string;
  readonly namespaces: readonly string[];
  readonly scan: ScanSummary | null;
  readonly lastRowId: number | null;
  readonly next: PolicyAnswer | null;
}

/** IMAGE_SORTS are the orders of the list of images; each has a direction that reads naturally. */
export const IMAGE_SORTS = ['attention', 'name', 'severity', 'findings', 'last_seen', 'scanned'] as const;

/** ImageQuery says which images are listed. */
export interface ImageQuery extends Page {
  readonly state: ImageState | null;
  /** A part of a name or of the digest, whatever its case. */
  readonly search: string | null;
  readonly sort: (typeof IMAGE_SORTS)[number];
  readonly descending: boolean;
}

/** ImageItem is an image in the list. */
export interface ImageItem extends Pick<
  Judged,
  'digest' | 'name' | 'state' | 'namespaces' | 'scan' | 'next'
> {
  readonly lastReview: Review | null;
  /** Why it could not be scanned since a scan of it succeeded last, by platform; empty where the newest attempts succeeded. */
  readonly failures: readonly ScanFailure[];
}

/** ImageList is a page of images, and the tiles: how many of all images are in each state, whatever the filter. */
export interface ImageList extends Listed<ImageItem> {
  readonly states: StateCounts;
}

/** ImageRecord is what is kept of one image. */
export interface ImageRecord {
  readonly digest: Digest;
  readonly source: string | null;
  readonly firstSeenAt: number;
  readonly factsVersion: number;
  readonly facts: ImageFacts | null;
  readonly scanRecordedAt: number | null;
  readonly scanner: ScannerInfo | null;
  /** When a scan was asked for and not made yet; null when none waits. */
  readonly scanRequestedAt: number | null;
  readonly sightings: readonly Sighting[];
  readonly triage: readonly TriageEntry[];
  /** What people read of each finding of the facts, in their order; null where the scan in use says nothing of it. */
  readonly presented: readonly PresentedFinding[] | null;
}

/** PresentedFinding is what is shown of a finding and no decision reads. */
export interface PresentedFinding {
  readonly cve: string;
  readonly advisory: Advisory | null;
  readonly foundAt: FoundAt | null;
}

/** ImageStore keeps what is known of images and the states that follow from it. */
export interface ImageStore {
  /** Takes in the ledger's next rows, this many at most; false once there are none left. */
  follow(rows: number): Promise<boolean>;
  /** Images that were not judged under these policies, or whose judgement has ended by then; this many at most. */
  stale(judgedFor: string, at: number, limit: number): Promise<readonly ImageToJudge[]>;
  /** Null when nothing was recorded of the digest. */
  facts(digest: Digest): Promise<ImageFacts | null>;
  /** Makes the facts again under the names that the image has now; the image is then to be judged again. */
  refreshFacts(digest: Digest, at: number): Promise<void>;
  /** Keeps judgements, but those of images that changed meanwhile. */
  judged(judgements: readonly Judged[]): Promise<void>;
  list(query: ImageQuery): Promise<ImageList>;
  item(digest: Digest): Promise<ImageItem | null>;
  record(digest: Digest): Promise<ImageRecord | null>;
}

/** TriageEntry is a decision of a person that a CVE does not count on an image until a time. Times are milliseconds. */
export interface TriageEntry {
  readonly id: number;
  readonly digest: Digest;
  /** The newest name of the image, or null. */
  readonly image: string | null;
  /** Null: the decision is on the image itself, that it holds no packages to scan. */
  readonly cve: string | null;
  readonly severity: string | null;
  readonly reason: string;
  readonly triagedBy: string;
  readonly accountId: string | null;
  readonly createdAt: number;
  readonly until: number;
  /** When it was taken back before its end, or null. */
  readonly endedAt: number | null;
}

/** TRIAGE_STATES: active, expired, or ended early. */
export const TRIAGE_STATES = ['active', 'expired', 'ended'] as const;

/** TriageQuery says which decisions are listed, newest first; `at` separates expired decisions from active ones. */
export interface TriageQuery extends Page {
  readonly digest: Digest | null;
  readonly cve: string | null;
  readonly state: (typeof TRIAGE_STATES)[number] | null;
  readonly at: number;
}

/** FoundOn tells whether a CVE is among the findings of an image, and its highest severity there. */
export type FoundOn =
  | { readonly kind: 'unknown_image' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'unscanned'; readonly namespaces: readonly string[] }
  | { readonly kind: 'found'; readonly severity: string; readonly namespaces: readonly string[] };

/** TriageStore keeps triage decisions; a decision and the facts that follow from it change in one act. */
export interface TriageStore {
  /** `cve` null asks about the image itself: whether it has a completed scan. */
  found(digest: Digest, cve: string | null): Promise<FoundOn>;
  create(entry: Omit<TriageEntry, 'id' | 'image' | 'endedAt'>): Promise<TriageEntry>;
  list(query: TriageQuery): Promise<Listed<TriageEntry>>;
  get(id: number): Promise<TriageEntry | null>;
  /** Ends an active decision. Null when it is not. */
  end(id: number, at: number): Promise<TriageEntry | null>;
}

/** PolicyReads read the policies in effect. */
export interface PolicyReads {
  /** Names with their revisions, by name. */
  heads(): Promise<readonly { readonly name: string; readonly revision: string }[]>;
  get(name: string): Promise<{
    readonly name: string;
    readonly revision: string;
    readonly document: unknown;
  } | null>;
}
