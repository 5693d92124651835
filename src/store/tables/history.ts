import type { Generated } from 'kysely';

/** HistoryTables hold what evidence is made of later, from when it happens. Times are UTC milliseconds. */
export interface HistoryTables {
  /** When a record began; what lies before is not known. `cluster` is empty for what concerns all. */
  history_began: { record: string; cluster: string; at: number };
  /** Numbers for digests, which are long. */
  history_images: { id: Generated<number>; digest: string };
  /** A CVE in an image, from the scan that first reported it until it ended; one that comes back has another row. */
  finding_history: {
    image: number;
    cve: string;
    first_seen_at: number;
    /** Null where it stood already when the record began, so that it may be older. */
    first_scan: number | null;
    /** 4 (`CRITICAL`) to 0, the highest of its packages, as the newest scan says; and the highest that one ever said. */
    rank: number;
    worst: number;
    /** Of the package with the highest severity. */
    package: string;
    fixed: string | null;
    /** JSON list of the other packages that have it, each with its fixed version or null. */
    others: string | null;
    /** When a fixed version was first known. */
    fixable_at: number | null;
    /** When it was first marked as known to be exploited, and since when it is not any more. */
    exploited_at: number | null;
    exploited_until: number | null;
    /** Since when no scan reports it though none proves that it is fixed, and what had found it. */
    unreported_at: number | null;
    found_scanner: string | null;
    found_db_at: number | null;
    found_scan_at: number | null;
    /**
     * When the scan was made that proves it fixed, its id, and who made it: JSON, since its record comes before this one. `person` where
     * one said so. Without either it ended since no node has the platform any more that had it.
     */
    ended_at: number | null;
    ended_scan: number | null;
    ended_by: string | null;
  };
  /** When an image had a completed scan. */
  scan_history: { image: number; scanned_at: number };
  /** When an image ran in a cluster; the end is found 24 hours after it was seen last. */
  run_history: {
    image: number;
    cluster: string;
    first_seen_at: number;
    last_seen_at: number;
    ended_at: number | null;
    /** The image that its workload ran then. */
    superseded_by: number | null;
  };
  /** The catalogue of known exploited vulnerabilities as it was: when an entry came, and when it was taken out. */
  catalogue_history: {
    cve: string;
    listed_at: number;
    date_added: string | null;
    delisted_at: number | null;
  };
  /** From when to when a revision of a policy was in effect; null while it is. One that comes back has another row. */
  policy_history: { name: string; from_at: number; revision: string; until_at: number | null };
  /** What happened in a cluster on a day, counted from 1970 in UTC. */
  cluster_days: {
    cluster: string;
    day: number;
    /** A bit for each minute in which a replica answered reviews. */
    answered: Buffer | null;
    /** Sweeps that saw every pod, those that did not, and when the last whole one ended. */
    sweeps: Generated<number>;
    partial_sweeps: Generated<number>;
    /** Of the whole ones, those in which no replica could hold rows of reviews. */
    accounted_sweeps: Generated<number>;
    last_sweep_at: number | null;
    detector_events: Generated<number>;
    detector_heartbeats: Generated<number>;
    detector_last_at: number | null;
    /** Of the events, those joined to an image by a field of theirs, and by their pod; and events that were not stored. */
    detector_by_field: Generated<number>;
    detector_by_pod: Generated<number>;
    detector_dropped: Generated<number>;
  };
}
