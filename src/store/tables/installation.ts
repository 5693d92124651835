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
  evidence_packages: {
    id: string;
    created_at: number;
    account_id: string;
    period_from: number;
    period_to: number;
    /** JSON of the request. */
    request: string;
    /** Hex SHA-256 of the archive. */
    sha256: string;
    archive: Buffer;
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
