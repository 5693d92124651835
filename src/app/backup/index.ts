/**
 * Backups: made, verified, restored, and moved from one database to another.
 * It uses `config`, `doors`, `ledger`, `processes`, `programs`, `registry`, `running` and `scanning`.
 */
export { runBackupWorker } from './worker.ts';
export { createBackup, type CreatedBackup, type CreateBackupOptions } from './create.ts';
export { moveDatabase, type MovedDatabase, type MoveOptions } from './move.ts';
export { inHeldDirectory } from './at-work.ts';
export {
  backupPlaces,
  readEvidenceKey,
  readLedgerKey,
  type BackupPlaces,
  type PlacesFlags,
} from './places.ts';
export { openArtifacts } from './open-artifacts.ts';
export { parseOciAddress, pushBackup, type OciAddress } from './registry.ts';
export { restoreBackup, type RestoredBackup, type RestoreOptions } from './restore.ts';
export { verifyBackup, type VerifiedBackup, type VerifyBackupOptions } from './verify.ts';
