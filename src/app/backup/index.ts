/**
 * Backups: made, verified, restored, and moved from one database to another.
 * It uses `config`, `doors`, `ledger`, `processes`, `programs`, `registry`, `running` and `scanning`.
 */
export { createBackup, type CreatedBackup } from './create.ts';
export { moveDatabase } from './move.ts';
export { inHeldDirectory } from './at-work.ts';
export { backupPlaces, readEvidenceKey, readLedgerKey, type BackupPlaces } from './places.ts';
export { openArtifacts } from './open-artifacts.ts';
export { parseOciAddress, pushBackup, type OciAddress } from './registry.ts';
export { restoreBackup, type RestoredBackup } from './restore.ts';
export { verifyBackup, type VerifiedBackup } from './verify.ts';
