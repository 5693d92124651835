import type { Digest } from '../base/index.ts';
import type { ImageFacts } from '../facts/index.ts';
import type { Policy } from '../policy/index.ts';

/** REVIEW_PATH is where the webhook takes AdmissionReviews. */
export const REVIEW_PATH = '/admission/pods';

/** FAILURE_POLICIES: what becomes of a pod that cannot be decided or recorded, named as the webhook configuration names them. */
export const FAILURE_POLICIES = ['Ignore', 'Fail'] as const;

/** FailurePolicy: `Ignore` admits what could not be decided or recorded, `Fail` refuses it. */
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** PolicySnapshot holds the policies in effect in memory. */
export interface PolicySnapshot {
  /** In name order, the same list as long as nothing changed; null before they were first read. */
  current(): readonly Policy[] | null;
  /** Since when they could not be brought up to date, in milliseconds; null while they are. */
  staleSince(): number | null;
}

/** FactsSnapshot holds the recorded facts of digests in memory. */
export interface FactsSnapshot {
  /** What is known to hold now: null for a digest of which nothing was recorded, undefined for one that must be read. */
  known(digest: Digest): ImageFacts | null | undefined;
  /** Reads what is recorded now. Rejects when it cannot be read. */
  read(digest: Digest): Promise<ImageFacts | null>;
  /** What was known last, however long ago; undefined when nothing ever was. For when it cannot be read. */
  last(digest: Digest): ImageFacts | null | undefined;
  /** Why no review should come here yet, as a sentence; absent or null once facts were read. */
  unready?(): string | null;
}

/** TagAnswer is what a tag stands for, or why that is not known, as a clause: `ghcr.io does not answer`. */
export type TagAnswer = { readonly digest: Digest } | { readonly digest: null; readonly why: string };

/** DigestLookup asks a registry what a tag stands for. It is bounded: it says when it does not know in time. Never rejects. */
export interface DigestLookup {
  digestOf(reference: string, signal: AbortSignal): Promise<TagAnswer>;
}

/** NameGate is the meter and the node ceiling as admissions meet them, from memory. */
export interface NameGate {
  /**
   * The sentence by which a name (`host/path`) is refused, `monthly allowance of N image names exceeded` or `node ceiling of N
   * exceeded`, or null.
   */
  refusal(name: string, at: number): string | null;
  /** Takes names that were admitted and recorded. Refused, ephemeral and break-glass ones are not counted and do not come here. */
  admitted(names: readonly string[], at: number): void;
}

/** ScanRequests takes digests that were admitted without a scan, after the answer has left. Never waits and never throws. */
export interface ScanRequests {
  want(digest: Digest): void;
}

/** ScanObstacle is why an image could not be scanned, and what to do, each as a sentence that stays the same while that does. */
export interface ScanObstacle {
  readonly why: string;
  readonly hint: string;
}

/** ScanObstacles tells why images could not be scanned, from memory. */
export interface ScanObstacles {
  /** Null where nothing keeps a digest from being scanned, or that is not known. `platform`: the one that is asked for; null: each. */
  of(digest: string, platform: string | null): ScanObstacle | null;
}

/** PodOwner is what makes pods like the one that is reviewed, as the pod names it: its controlling owner reference. */
export interface PodOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** ReviewEvent is what a cluster should be told of a review. */
export interface ReviewEvent {
  /**
   * `denied`; `bypassed` by break-glass; `undecided`: answered without all facts; `unrecorded`: answered without a row in
   * the ledger; `unscannable`: an image of it has no scan, since it cannot be scanned.
   */
  readonly kind: 'denied' | 'bypassed' | 'undecided' | 'unrecorded' | 'unscannable';
  readonly allowed: boolean;
  readonly namespace: string;
  readonly pod: string;
  /** Null when the review carries none. */
  readonly podUid: string | null;
  /** Null for a pod that nothing makes again. */
  readonly owner: PodOwner | null;
  readonly message: string;
}

/** ReviewEvents takes what a cluster should be told. Never waits and never throws. */
export interface ReviewEvents {
  happened(event: ReviewEvent): void;
}
