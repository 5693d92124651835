/**
 * Backups of the whole database: the file's format, written and read as a stream, the sealing of keys in it, and which copies are kept. It
 * uses `ledger`.
 */
export { BackupError } from './backup-error.ts';
export type { BackupHistory, BackupRun } from './history.ts';
export { KEY_NAMES, openKeys, sealKeys, type BackupKey } from './keys.ts';
export type { BackupHeader, BackupTable, CellType } from './format.ts';
export { readBackup, type BackupPart } from './read.ts';
export { copyParts, tableContents, writeBackup, type BackupSource, type Written } from './write.ts';
