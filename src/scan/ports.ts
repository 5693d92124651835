import type { Digest } from '../base/index.ts';
import type { ScanFailureReason, ScanRecord } from '../findings/index.ts';
import type { PlatformEntry } from '../image/index.ts';
import type { ScanReport } from './scan-report.ts';

/** ReportReader reads a JSON value that a scanner wrote; one may hold several reports. Throws `invalid_report`. */
export type ReportReader = (value: unknown, file: string) => readonly ScanReport[];

/** NewScan is a scan of one digest as it is to be recorded. */
export interface NewScan {
  readonly digest: Digest;
  /** Names under which the image is known from now on. */
  readonly names: readonly string[];
  /** Where it was made from, or null where the report does not say. */
  readonly source: string | null;
  readonly scan: ScanRecord;
  /** When it is recorded, in milliseconds. */
  readonly at: number;
  /** The platform of the image that was scanned (`linux/arm64`); absent or null where nobody said. */
  readonly platform?: string | null | undefined;
  /** The digest of that image itself, where the scan was made by it. */
  readonly image?: Digest | null | undefined;
  /** The images of the digest's index, null for no index; left out where its registry was not asked. */
  readonly entries?: readonly PlatformEntry[] | null | undefined;
}

/**
 * Recorded tells what became of a scan: `current`, decisions use it from now on; `older`, a scan of a later time is in use and
 * stays; `incomplete`, it found no packages to look at, so that it says nothing and replaces nothing; `other_platform`, the digest is an
 * index, and the scan is of a platform that no node has, or does not say its own where several are needed.
 */
export interface Recorded {
  readonly outcome: 'current' | 'older' | 'incomplete' | 'other_platform';
  /** Whether another scan was in use before. */
  readonly replaced: boolean;
}

/** ScanStore keeps scans; a scan and the facts that follow from it change in one act. */
export interface ScanStore {
  /**
   * Writes what of a large scan can be written before it comes into use, some of it in each transaction; nobody sees it until the same
   * scan is recorded. For who records it together with something else; record does it by itself.
   */
  prepare(scan: NewScan): Promise<void>;
  record(scan: NewScan): Promise<Recorded>;
}

/** ScanRequests tell what became of each digest that a scan was asked for; in the order of the request. */
export interface ScanRequests {
  readonly queued: readonly Digest[];
  readonly alreadyQueued: readonly Digest[];
  /** No image of this digest was ever seen or recorded. */
  readonly unknown: readonly Digest[];
}

/** ScanClaim is a scan that a worker has taken; `claimedAt` fences off a worker that lost it by taking too long. */
export interface ScanClaim {
  readonly digest: Digest;
  readonly requestedAt: number;
  /** Attempts with this one, from 1. */
  readonly attempts: number;
  readonly claimedAt: number;
  /** The platforms of the digest that were scanned since it was asked for. */
  readonly done: readonly string[];
}

/** NewScanFailure is why an attempt failed, as it is kept until a scan succeeds. */
export interface NewScanFailure {
  /** The platform that was to be scanned; null where none was chosen. */
  readonly platform: string | null;
  readonly reason: ScanFailureReason;
  /** A plain sentence without secrets. */
  readonly message: string;
  /** Milliseconds. */
  readonly at: number;
}

/** ScanQueue holds the digests that wait for a scan, each once. A claim outlives no crash: after its time it is free again. */
export interface ScanQueue {
  /** `by` is who asked, or null for the service itself. A digest that waits out a fault is due again at once. */
  request(digests: readonly Digest[], by: string | null, at: number): Promise<ScanRequests>;
  /** Takes up to `limit` digests that are due, the longest waiting first; claims made before `lostBefore` are taken over. */
  claim(at: number, lostBefore: number, limit: number): Promise<readonly ScanClaim[]>;
  /** Ends a claim whose scan is recorded. False when the claim was lost to another worker. */
  finish(claim: ScanClaim): Promise<boolean>;
  /**
   * Puts a claim back whose scan is recorded, due again at once: platforms of the digest are left. Keeps why the scan of this one came to
   * nothing (null: it did not). False when the claim was lost.
   */
  next(claim: ScanClaim, done: readonly string[], failure: NewScanFailure | null): Promise<boolean>;
  /**
   * Puts a claim back, due again at `notBefore`, or gives it up for good with null, and keeps why (null: not for a fault of this scan).
   * False when the claim was lost.
   */
  fail(claim: ScanClaim, failure: NewScanFailure | null, notBefore: number | null): Promise<boolean>;
  /** How many wait or are being scanned. */
  size(): Promise<number>;
}
