import type { Generated } from 'kysely';

/** CatalogueTables hold what others publish and findings are judged by. */
export interface CatalogueTables {
  /** When operating systems end, as it is published; UTC milliseconds, null where no end is announced. */
  os_releases: {
    product: string;
    release: string;
    ends_at: number | null;
    /** Of the support that follows; null where there is none. */
    extended_ends_at: number | null;
  };
  /** How fresh the catalogues are: `kev`, `trivy_db`, `end_of_life`. */
  catalogue_states: {
    name: string;
    version: string | null;
    entries: number | null;
    updated_at: number | null;
    fetched_at: number | null;
    checked_at: number | null;
    last_error: string | null;
    /** Where it came from, and what that gave to ask again with. */
    source: string | null;
    etag: string | null;
    last_modified: string | null;
    /** Counts the changes of its CVEs, and says by which of them findings are marked. */
    edition: Generated<number>;
    marked: Generated<number>;
  };
  /** The catalogue of known exploited vulnerabilities; CVEs in upper case, days as `YYYY-MM-DD`. */
  kev_entries: { cve: string; date_added: string | null; due_date: string | null };
}
