import type { Generated } from 'kysely';

/** InstallationTables hold what concerns the installation as a whole. */
export interface InstallationTables {
  /** The licence of each cluster by its name. Ceilings are null for none, all of the certificate while none is active. */
  licences: {
    cluster: string;
    cluster_id: string;
    certificate: string | null;
    activated_at: number | null;
    expires_at: number | null;
    nodes: number | null;
    image_names: number | null;
    clusters: number | null;
    /** The last activation request. */
    request_id: string | null;
    checked_at: number | null;
    last_error: string | null;
  };
  /** Image names that were admitted in a cluster in a month (`2026-10`, UTC). */
  meter: { cluster: string; month: string; name: string; first_admitted_at: number };
  /** Raised with every change of the leader, whose writes carry it: one that lost its place writes nothing. */
  fences: { name: string; value: number; holder: string | null; acquired_at: number | null };
  /** Evidence packages, from the wish to the file. */
  evidence_packages: {
    id: string;
    created_at: number;
    account_id: string;
    period_from: number;
    period_to: number;
    /** JSON of the request. */
    request: string;
    /** `queued`, `running`, `done` or `failed`. */
    state: string;
    stage: string | null;
    rows_done: Generated<number>;
    rows_total: number | null;
    /** The fence: raised with every try, whose writes carry it. */
    attempt: Generated<number>;
    /** Grows while somebody works on it. */
    beat: Generated<number>;
    /** Tries that ended without an answer. */
    broken: Generated<number>;
    started_at: number | null;
    ended_at: number | null;
    error: string | null;
    /** Hex SHA-256 of the archive. */
    sha256: string | null;
    bytes: number | null;
    /** JSON of what it comes to. */
    summary: string | null;
  };
  /** The archives of packages, in the order of their numbers. */
  evidence_pieces: { package_id: string; attempt: number; number: number; bytes: Buffer };
  /** Public keys that sign packages; the current one has no end. */
  evidence_keys: { key_id: string; pem: string; from_at: number; until_at: number | null };
  /** What the organisation says of itself; `declared_by` is `user:<account_id>`. */
  declarations: {
    id: string;
    statement: string;
    declared_by: string;
    declared_at: number;
    valid_until: number | null;
  };
  backups: {
    id: Generated<number>;
    started_at: number;
    finished_at: number | null;
    /** Where it was written. */
    target: string;
    bytes: number | null;
    sha256: string | null;
    /** Rows of the ledger that it holds. */
    ledger_size: number | null;
    last_error: string | null;
  };
  /** Restores of the whole database, oldest first. */
  restores: {
    id: Generated<number>;
    restored_at: number;
    /** When the backup was made, and the SHA-256 of its file. */
    backup_at: number;
    sha256: string;
    /** Part of every marker that is made from then on. */
    epoch: string;
    ledger_size: number;
    /** Rows that the log had by a checkpoint that was kept; null where none is newer than the backup. */
    lost_to: number | null;
  };
}
