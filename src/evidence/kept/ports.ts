import type { EvidenceRequest } from '../request.ts';
import type { PackageSummary } from './summary.ts';

/** PACKAGE_STATES are how a package of a service can stand. */
export const PACKAGE_STATES = ['queued', 'running', 'done', 'failed'] as const;
export type PackageState = (typeof PACKAGE_STATES)[number];

/** STAGES are what is done for a package, in their order. */
export const STAGES = ['rows', 'findings', 'verify', 'reports', 'store'] as const;
export type Stage = (typeof STAGES)[number];

/** KeptPackage is a package of a service, from the wish to the file. Times are UTC milliseconds. */
export interface KeptPackage {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly request: EvidenceRequest;
  readonly state: PackageState;
  readonly progress: {
    readonly stage: Stage | null;
    readonly rows: number;
    /** Rows of the period; null before they were counted. */
    readonly total: number | null;
  };
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Why it failed. */
  readonly error: string | null;
  readonly bytes: number | null;
  /** Hex, of the archive. */
  readonly sha256: string | null;
  /** What it comes to; null until it is done, and for one of an earlier release. */
  readonly summary: PackageSummary | null;
}

/** NewPackage is a wish for a package. */
export type NewPackage = Pick<KeptPackage, 'id' | 'accountId' | 'createdAt' | 'request'>;

/** PackageStore keeps the packages of a service. */
export interface PackageStore {
  /** Adds one, unless `most` of them wait or are made already; tells whether it did. */
  add(wish: NewPackage, most: number): Promise<boolean>;
  list(page: { readonly limit: number | null; readonly offset: number }): Promise<{
    readonly items: readonly KeptPackage[];
    readonly total: number;
  }>;
  get(id: string): Promise<KeptPackage | null>;
  /** Ends one that waits or is made, with why; false where it had ended. */
  cancel(id: string, error: string, at: number): Promise<boolean>;
  /** Deletes one with its archive; false where there is none. */
  remove(id: string): Promise<boolean>;
  /** The archive of one that is done. */
  pieces(id: string): AsyncIterable<Uint8Array>;
  /** Deletes those that ended before a time, and what no package holds any more; gives how many packages. */
  prune(before: number): Promise<number>;
}

/** Claimed is the right to make a package: no other try of it writes from then on. */
export interface Claimed {
  readonly id: string;
  readonly request: EvidenceRequest;
  /** The fence. */
  readonly attempt: number;
}

/** AtWork is a package that waits or is made, as it stands now. */
export interface AtWork {
  readonly id: string;
  readonly state: 'queued' | 'running';
  readonly attempt: number;
  /** Grows while somebody works on it. */
  readonly beat: number;
  readonly broken: number;
}

/** FinishedPackage is what is known of an archive that is kept. */
export interface FinishedPackage {
  readonly bytes: number;
  readonly sha256: string;
  readonly summary: PackageSummary;
}

/** PackageWork is what those who make packages act through. Every write of a try holds its fence; `false` says that it is not the newest any more. */
export interface PackageWork {
  /** Those that wait or are made, the oldest first. */
  open(): Promise<readonly AtWork[]>;
  /** Takes one as it was seen; null where another was quicker. `broken` says that the try before ended without an answer. */
  claim(seen: AtWork, at: number, broken: boolean): Promise<Claimed | null>;
  /** Says that somebody works on it, and how far it has come. */
  beat(claimed: Claimed, progress: KeptPackage['progress']): Promise<boolean>;
  /** Adds pieces to its archive, `first` being the number of the first of them. */
  keep(claimed: Claimed, first: number, pieces: readonly Uint8Array[]): Promise<boolean>;
  finish(claimed: Claimed, finished: FinishedPackage, at: number): Promise<boolean>;
  fail(claimed: Pick<Claimed, 'id' | 'attempt'>, error: string, at: number): Promise<boolean>;
  /** Deletes what earlier tries left. */
  tidy(): Promise<void>;
  /** Lets it go, so that anyone takes it at once. `broken` counts the try as one without an answer. */
  release(claimed: Claimed, broken?: boolean): Promise<boolean>;
}

/** KeyRecord is a public key that signs packages, and when. */
export interface KeyRecord {
  /** SHA-256 of the key in DER, hex. */
  readonly id: string;
  readonly pem: string;
  readonly from: number;
  /** Null for the one that signs now. */
  readonly until: number | null;
}

/** KeyRecords keep the public keys that have signed. */
export interface KeyRecords {
  /** The newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Whether a package that is kept was signed. */
  haveSigned(): Promise<boolean>;
  /** Makes a key the one that signs from a time on, unless it is already. */
  use(key: { readonly id: string; readonly pem: string }, at: number): Promise<void>;
}
