import type { Digest } from '../base/index.ts';
import type { Collected, Problem } from './collected.ts';

/** SignedDocument is a document of a configured source with the bundle that signs its bytes. */
export interface SignedDocument {
  readonly bytes: Uint8Array;
  /** A Sigstore bundle of any version. */
  readonly bundle: Uint8Array;
}

/** VexSource is where a producer publishes a VEX document and its bundle. */
export interface VexSource {
  /** As the setting has it. */
  readonly name: string;
  /** Reads both once, within bounds of time and size. Throws an IpoError that says what is wrong. */
  read(signal: AbortSignal): Promise<SignedDocument>;
}

/** MonotonicClock measures how long ago something was, whatever is done to the time of day. Milliseconds. */
export interface MonotonicClock {
  now(): number;
}

/** ClaimedDigest is a digest whose collection is due, claimed for one worker. */
export interface ClaimedDigest {
  readonly digest: Digest;
  /** Names as they were seen, the newest first: `ghcr.io/acme/web:1.2`. */
  readonly names: readonly string[];
  /** How often in a row it was tried without being read whole, this time not counted. */
  readonly attempts: number;
  /** When the image was first seen; milliseconds. */
  readonly firstSeenAt: number;
  /** The claim: it holds as long as no other took it over. */
  readonly claimedAt: number;
}

/** CollectionState is how the collection of one digest stands; times in milliseconds, null for never. */
export interface CollectionState {
  readonly triedAt: number | null;
  /** When everything was last read whole. */
  readonly collectedAt: number | null;
  /** When it is tried again. */
  readonly dueAt: number;
  /** What was wrong the last time, at most 20. */
  readonly problems: readonly Problem[];
}

/** Lane is which due digests are taken first: of `all` the longest due, of `new` those that were not tried in vain, the newest due first. */
export type Lane = 'all' | 'new';

/** CollectionStore keeps what was collected of each digest, and when to collect again. */
export interface CollectionStore {
  /**
   * Takes in images that were seen since a time and have no collection yet, as due now; gives how many, at most `limit`. Each call walks a
   * part of all images, and the next goes on behind it. Due digests that were not seen since then are put off, so that no claim meets them.
   */
  enrol(at: number, seenSince: number, limit: number): Promise<number>;
  /** Makes digests due now that are known; one that was tried less than `spacing` milliseconds ago stays as it is. */
  request(digests: readonly Digest[], at: number, spacing: number): Promise<void>;
  /** Claims digests that are due and were seen since a time. A claim that is older than `lostBefore` is taken over. */
  claim(
    at: number,
    lostBefore: number,
    seenSince: number,
    limit: number,
    lane?: Lane,
  ): Promise<readonly ClaimedDigest[]>;
  /**
   * Records what was collected under a claim, with the facts that follow (`mergeProofs` over what is recorded), in one act. False when
   * another took the claim over; nothing is written then.
   */
  record(claim: ClaimedDigest, collected: Collected, times: { at: number; dueAt: number }): Promise<boolean>;
  /** Gives a claim back as it was. */
  release(claim: ClaimedDigest, dueAt: number): Promise<void>;
  state(digest: Digest): Promise<CollectionState | null>;
  /** How many digests that were seen since a time are due. */
  waiting(at: number, seenSince: number): Promise<number>;
}
