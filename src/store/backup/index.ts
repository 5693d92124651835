/**
 * Backups: a moment of every table read, and an empty database filled with one.
 * It uses `engine`, `ledger`, `migrations`, `outbox`, `sql` and `tables`.
 */
export { refuseUnlessEmpty } from './target.ts';
export { backupHistory } from './history.ts';
export { fillDatabase } from './fill.ts';
export { markRestored, type LostLog } from './mark-restored.ts';
export { othersAtWork } from './at-work.ts';
export { withSnapshot } from './snapshot.ts';
export { newestMigration } from './shape.ts';
