import type { Generated } from 'kysely';

/** ImageTables hold what is known of each digest. */
export interface ImageTables {
  images: {
    digest: string;
    /** The label `org.opencontainers.image.source`, or null. */
    source: string | null;
    first_seen_at: number;
    /** Newest ledger row of the image, its time and its verdict; null when it was never reviewed (0034, 0035). */
    last_row_id: number | null;
    last_allowed: number | null;
    /** Goes up with every change of `facts`. */
    facts_version: number;
    /** JSON of the facts as they stand now, in the form of an export's image line; null when none were recorded. */
    facts: string | null;
  };
  image_names: { digest: string; name: string; last_seen_at: number };
  scans: {
    id: Generated<number>;
    digest: string;
    scanner: string | null;
    scanner_version: string | null;
    db_updated_at: number | null;
    scanned_at: number | null;
    recorded_at: number;
    os_family: string | null;
    os_name: string | null;
    os_eosl: number | null;
    /** 1 for a completed scan with findings recorded (also none); a failed one never looks clean. */
    complete: number;
    /** 1 on the newest completed scan of its digest, which decisions use. */
    current: number;
  };
  findings: {
    scan_id: number;
    /** Place in the report, from 0. */
    ordinal: number;
    digest: string;
    cve: string;
    severity: string;
    rank: number;
    package: string;
    installed: string;
    fixed: string | null;
    /** 1, 0, or null when the catalogue was never asked. */
    known_exploited: number | null;
  };
  /** Signatures, attestations, provenance and statements: JSON lists in the export's form; null is unknown. */
  image_proofs: {
    digest: string;
    signatures: string | null;
    attestations: string | null;
    provenance: string | null;
    vex: string | null;
  };
  scan_queue: {
    digest: string;
    requested_at: number;
    requested_by: string | null;
    attempts: number;
    not_before: number;
    claimed_at: number | null;
    last_error: string | null;
  };
  triage: {
    id: Generated<number>;
    digest: string;
    cve: string;
    reason: string;
    /** Copy of the name; `user:<account_id>` once anonymised. */
    triaged_by: string;
    account_id: string | null;
    severity: string | null;
    created_at: number;
    until: number;
    /** When a person took it back before it ended, or null. */
    ended_at: number | null;
  };
}
