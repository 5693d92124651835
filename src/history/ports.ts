import type { Severity } from '../findings/index.ts';

/** Times of the history are UTC milliseconds. */

/** FindingEpisode is a CVE in an image from the scan that first reported it until one proved it fixed. */
export interface FindingEpisode {
  readonly cve: string;
  readonly firstSeenAt: number;
  /** Whether it stood already when the record began: then it may be older than `firstSeenAt`. */
  readonly older: boolean;
  /** As the newest scan says, and the highest that one ever said. */
  readonly severity: Severity;
  readonly worst: Severity;
  /** Each with the version that repairs it, or null; that of the highest severity first. */
  readonly packages: readonly { readonly name: string; readonly fixed: string | null }[];
  /** When a fixed version was first known, or null. */
  readonly fixableAt: number | null;
  /** When it was first marked as known to be exploited, and since when it is not any more; null for never. */
  readonly exploitedAt: number | null;
  readonly exploitedUntil: number | null;
  /** Since when no scan reports it though none proves that it is fixed; null while one does, or once it ended. */
  readonly unreportedAt: number | null;
  readonly endedAt: number | null;
  /** The scan that proves it fixed, or a person who said so; null while it stands, and where it ended since no node has the platform any more that had it. */
  readonly endedBy: EndingScan | 'person' | null;
}

/** EndingScan is the scan that proved a finding fixed. */
export interface EndingScan {
  readonly scan: number;
  readonly scanner: string | null;
  readonly version: string | null;
  readonly databaseAt: number | null;
}

/** TriageSpan is one decision of triage on a CVE of an image. */
export interface TriageSpan {
  readonly id: number;
  readonly cve: string;
  readonly from: number;
  /** When it covers no more: it expired, or a person took it back. */
  readonly until: number;
}

/** ImageRun is a time during which an image ran in a cluster. */
export interface ImageRun {
  readonly cluster: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** When it was found that it does not run any more, or the cluster was removed; null while it runs. */
  readonly endedAt: number | null;
  /** The image that its workload ran then, or null where none is known. */
  readonly supersededBy: string | null;
}

/** ImageHistory is what is kept of one image. */
export interface ImageHistory {
  readonly digest: string;
  /** In the order of CVE and time. */
  readonly findings: readonly FindingEpisode[];
  readonly triage: readonly TriageSpan[];
  /** In the order of cluster and time. */
  readonly runs: readonly ImageRun[];
  /** When completed scans were made, oldest first. */
  readonly scans: readonly number[];
  /**
   * Of each image that took its place, which of the CVEs of `findings` it had when it was found that this one does not run any more (at
   * its first scan, where that came later); null where it was never scanned.
   */
  readonly successors: ReadonlyMap<string, ReadonlySet<string> | null>;
}

/** ClusterDay is what happened in a cluster on one day. */
export interface ClusterDay {
  readonly cluster: string;
  /** Days since 1970 in UTC. */
  readonly day: number;
  /** A bit for each of the 1440 minutes (bit `m & 7` of byte `m >> 3`) in which a replica answered reviews; null where none is known. */
  readonly answered: Uint8Array | null;
  /** Sweeps that saw every pod, those that did not, and when the last whole one ended. */
  readonly sweeps: number;
  readonly partialSweeps: number;
  /** Of the whole ones, those in which no replica could hold rows of reviews: only they would have found a pod without a review. */
  readonly accountedSweeps: number;
  readonly lastSweepAt: number | null;
  readonly detectorEvents: number;
  readonly detectorHeartbeats: number;
  readonly detectorLastAt: number | null;
  /** Of its events, those that were joined to an image, by a field of their own and by their pod; and events that came and were not stored. */
  readonly detectorByField: number;
  readonly detectorByPod: number;
  readonly detectorDropped: number;
}

/** CatalogueEntry is one stay of a CVE in the catalogue of known exploited vulnerabilities. */
export interface CatalogueEntry {
  readonly cve: string;
  /** The day that the catalogue gives, as `2026-10-30`. */
  readonly dateAdded: string | null;
  /** When the edition that had it was taken over, and the one that had it no more. */
  readonly listedAt: number;
  readonly delistedAt: number | null;
}

/** PolicyStay is a time during which a revision of a policy was in effect. */
export interface PolicyStay {
  readonly name: string;
  readonly revision: string;
  readonly from: number;
  /** Null while it is in effect. */
  readonly until: number | null;
}

/** RECORDS are the kinds of records whose beginning is kept; those from `answers` on begin in each cluster. */
const RECORDS = ['findings', 'scans', 'catalogue', 'policies', 'answers', 'sweeps', 'detector'] as const;
export type RecordKind = (typeof RECORDS)[number];

/** RecordBegan says since when something is recorded: what lies before is not known, and nothing may be concluded from its absence. */
export interface RecordBegan {
  readonly record: RecordKind;
  /** Empty for what concerns all clusters. */
  readonly cluster: string;
  readonly at: number;
}

/** HistoryReader reads what was kept. All of one image is read at once; of many images, a page at a time. */
export interface HistoryReader {
  began(): Promise<readonly RecordBegan[]>;
  /** Images in the order of their digests, after one; fewer than `limit` are the last ones. */
  images(after: string, limit: number): Promise<readonly ImageHistory[]>;
  image(digest: string): Promise<ImageHistory | null>;
  /** Days from one to another, both included, in the order of cluster and day; those on which nothing was recorded are left out. */
  days(from: number, to: number): Promise<readonly ClusterDay[]>;
  /** The stays of some CVEs, in upper case, in the order of CVE and time. */
  catalogue(cves: readonly string[]): Promise<readonly CatalogueEntry[]>;
  /** Which revisions were in effect at some moment from one time to another, in the order of name and time. */
  policies(from: number, to: number): Promise<readonly PolicyStay[]>;
}

/** AnsweredMinutes keeps minutes since 1970 in which a replica of a cluster answered reviews, beside those of others. */
export interface AnsweredMinutes {
  keep(cluster: string, minutes: readonly number[]): Promise<void>;
}

/** DetectorSigns are signs of life of the runtime detector in a cluster: how many came, and when the last of them did. */
export interface DetectorSigns {
  readonly cluster: string;
  readonly at: number;
  readonly events: number;
  readonly heartbeats: number;
  /** Of the events, those that were joined to an image by a field of their own, and by their pod; 0 unless given. */
  readonly byField?: number;
  readonly byPod?: number;
  /** Events that came and were not stored; 0 unless given. */
  readonly dropped?: number;
}
