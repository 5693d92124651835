import type { Ceiling } from './ceiling.ts';
import type { ActivationRequest } from './request.ts';

/** StoredLicence is what is kept of the licence of one cluster. Times are milliseconds; ceilings are null for none. */
export interface StoredLicence {
  readonly clusterId: string;
  /** The certificate as it was given; null while none is active. */
  readonly certificate: string | null;
  readonly activatedAt: number | null;
  readonly expiresAt: number | null;
  readonly ceiling: Ceiling & { readonly clusters: number | null };
  /** The last activation request. */
  readonly requestId: string | null;
  /** When the licence service was asked last, by whichever replica, and what went wrong then. */
  readonly checkedAt: number | null;
  readonly lastError: string | null;
}

/** ActiveCertificate is what an activation keeps. */
export type ActiveCertificate = Pick<StoredLicence, 'clusterId' | 'expiresAt' | 'ceiling'> & {
  readonly certificate: string;
  readonly at: number;
};

/** LicenceStore keeps the licences of the clusters of a database. */
export interface LicenceStore {
  read(cluster: string): Promise<StoredLicence | null>;
  activate(cluster: string, certificate: ActiveCertificate): Promise<void>;
  /** Takes the certificate out; false when there was none. */
  deactivate(cluster: string): Promise<boolean>;
  request(cluster: string, clusterId: string, requestId: string): Promise<void>;
  /**
   * Takes the check of a day: true for the one caller whose `last` is still the time of the last check. All others, and a second call, get
   * false.
   */
  takeCheck(cluster: string, clusterId: string, last: number | null, at: number): Promise<boolean>;
  checkEnded(cluster: string, error: string | null): Promise<void>;
  /** Newest time that a checkpoint of the ledger bears, or null. */
  newestCheckpointAt(): Promise<number | null>;
  /** Clusters that the database knows. */
  clusters(): Promise<number>;
}

/** LicenceService is the service that issues certificates for a key. */
export interface LicenceService {
  /** Gives the certificate for a request. Throws an IpoError that says what went wrong and never holds the key. */
  certificateFor(request: ActivationRequest, signal: AbortSignal): Promise<string>;
}
