import type { Generated } from 'kysely';

/** ImageTables hold what is known of each digest. */
export interface ImageTables {
  images: {
    digest: string;
    /** The label `org.opencontainers.image.source`, or null. */
    source: string | null;
    first_seen_at: number;
    /**
     * Newest review of the image and its verdict; null when it was never reviewed (0034, 0035). The verdict is always that of the
     * newest; the row may be one of the same verdict, up to a minute older.
     */
    last_row_id: number | null;
    last_allowed: number | null;
    /** Goes up with every change of `facts`. */
    facts_version: number;
    /** JSON of the facts as they stand now, in the form of an export's image line; null when none were recorded. */
    facts: string | null;
    /** JSON of the images of an index (`{platform, digest}`); an empty list for an image by itself, null where nobody knows. */
    platforms: string | null;
    /** How many of them nodes run that have no scan. */
    missing: Generated<number>;
  };
  image_names: { digest: string; name: string; last_seen_at: number; not_asked: number | null };
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
    /** 1: the scanner says that its support has ended; 2: release data does; 0: nobody. */
    os_eosl: number | null;
    /** 1 for a completed scan with findings recorded (also none); a failed one never looks clean. */
    complete: number;
    /** 1 on the newest completed scan of its digest, which decisions use. */
    current: number;
    /** 1 once the trackers counted what it found; 0 again with each scan of the digest. */
    counted: Generated<number>;
    /** JSON list of where its packages were found, each `[target, path, layer]`; findings name them by their number. */
    places: string | null;
  };
  /** Only of current scans: those of a scan that was replaced are gone. */
  findings: {
    scan_id: number;
    /** Place in the report, from 0. */
    ordinal: number;
    cve: string;
    severity: string;
    rank: number;
    package: string;
    installed: string;
    fixed: string | null;
    /** 1, 0, or null when the catalogue was never asked. */
    known_exploited: number | null;
    /** Package URL as the scanner wrote it, or null. */
    purl: string | null;
    /** JSON of the platforms on which it was found; null for each that the scan is of. */
    platforms: string | null;
    /** Whose rating its advisory has, which names that with the CVE; null where the scanner said nothing of the vulnerability. */
    rated_by: string | null;
    /** Number in the places of its scan, from 0, or null. */
    place: number | null;
  };
  /** What scanners say of a vulnerability, once for each source of its rating; it goes with the last image that has the CVE. */
  advisories: {
    cve: string;
    /** Empty where nobody rated it, or the scanner does not say who. */
    rated_by: string;
    title: string | null;
    url: string | null;
    cvss_version: string | null;
    /** Tenths. */
    cvss_score: number | null;
    cvss_vector: string | null;
  };
  /**
   * What the current scan of a digest was put together from, where it is of several platforms, or of one that is known. The platform is
   * empty for a scan that does not say its own and stands until all that are needed are scanned.
   */
  scan_platforms: {
    digest: string;
    platform: string;
    /** Digest of the image itself, or null. */
    image: string | null;
    scanner: string | null;
    scanner_version: string | null;
    db_updated_at: number | null;
    scanned_at: number | null;
    recorded_at: number;
    os_family: string | null;
    os_name: string | null;
    os_eosl: number | null;
  };
  /**
   * Why a digest, or its image of a platform (empty: none was chosen), could not be scanned since a scan of it succeeded last. When it is
   * tried again, the queue says.
   */
  scan_failures: {
    digest: string;
    platform: string;
    reason: string;
    message: string;
    since: number;
    last_at: number;
    attempts: number;
  };
  /** Which platforms the nodes of each cluster have, and when one was last seen there. */
  node_platforms: { cluster: string; platform: string; seen_at: number };
  /** What the findings come to for each CVE, kept with every scan, so that no list has to count them. */
  cve_totals: {
    cve: string;
    /** Its id and the names of its packages, in lower case and one in a line, for the search. */
    search: string;
    /** 4 (`CRITICAL`) to 0: the highest that an image has. */
    rank: Generated<number>;
    /** 2: known to be exploited; 0: known not to be; 1: the catalogue was never asked. */
    exploitation: Generated<number>;
    /** Images that have it. */
    images: number;
    /** Images by the highest severity that the CVE has in them; `UNKNOWN` is the rest. */
    critical: number;
    high: number;
    medium: number;
    low: number;
    /** Images in which one of its findings has a fixed version. */
    fixable: number;
    /** Images by the answer of the known-exploited catalogue; those of which it was never asked are the rest. */
    exploited: number;
    not_exploited: number;
  };
  /** The packages in which a CVE was found, with the version that repairs it (empty: none). */
  cve_packages: {
    cve: string;
    package: string;
    fixed: string;
    findings: number;
  };
  /** Signatures, attestations, provenance and statements: JSON lists in the export's form; null is unknown. */
  image_proofs: {
    digest: string;
    signatures: string | null;
    attestations: string | null;
    provenance: string | null;
    vex: string | null;
  };
  /** When the proofs of a digest are looked for again, and how it went the last time. */
  proof_collections: {
    digest: string;
    due_at: number;
    /** Claimed by a worker since; null for free. */
    claimed_at: number | null;
    /** Tries in a row that did not read everything. */
    attempts: number;
    tried_at: number | null;
    /** When everything was last read whole. */
    collected_at: number | null;
    /** JSON list of what was wrong the last time. */
    problems: string | null;
  };
  /** Where an image was seen: its newest ledger row in each namespace. Follows the ledger by `sightings_upto`. */
  image_sightings: {
    digest: string;
    namespace: string;
    row_id: number;
    shape: number;
  };
  /** The state of each image and what its list shows, worked out from facts, ledger and policies; can be made again. */
  image_states: {
    digest: string;
    /** Goes up when the image must be judged again, so that a judgement made meanwhile is not taken. */
    touched: number;
    /** Hash of the policies in effect when it was judged; null when it must be judged again. */
    judged_for: string | null;
    /** When the next triage decision expires, which changes the judgement; null for never. */
    judged_until: number | null;
    /** Hash of all that the judgement was made from. */
    basis: string | null;
    /** One of the four states, and null before the first judgement. */
    state: string | null;
    /** The order by attention, and only by severity. */
    attention: number;
    severity: number;
    name: string;
    /** Names and digest in lower case, for the search. */
    search: string;
    /** JSON list. */
    namespaces: string | null;
    /** JSON of the counts of findings and of the operating system; null when it was never scanned. */
    scan: string | null;
    findings: number;
    scanned_at: number | null;
    last_row_id: number | null;
    /** What the next admission would meet: JSON, null when it would be admitted by every policy. */
    next: string | null;
    /** Hash of the names that stand in the facts; null when that is not known. */
    facts_names: string | null;
  };
  /** Of each judged image what a search reads, apart from the wide rows; its names and digest in lower case. */
  image_search: { digest: string; state: string; name: string; search: string };
  scan_queue: {
    digest: string;
    requested_at: number;
    requested_by: string | null;
    attempts: number;
    not_before: number;
    claimed_at: number | null;
    /** JSON of the platforms that were scanned since it was asked for; null for none. */
    done: string | null;
  };
  triage: {
    id: Generated<number>;
    digest: string;
    /** Empty: the decision is on the image itself, that it holds no packages to scan. */
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
