/**
 * Backups: a moment of every table read, and an empty database filled with one.
 * It uses `engine`, `ledger`, `migrations`, `outbox`, `sql` and `tables`.
 */
export { isEmptyDatabase, refuseUnlessEmpty } from './target.ts';
export { backupHistory } from './history.ts';
export { fillDatabase, type FillOptions, type Filled } from './fill.ts';
export { markRestored, type LostLog, type Restored } from './mark-restored.ts';
export { othersAtWork, type AtWork } from './at-work.ts';
export { withSnapshot } from './snapshot.ts';
export { newestMigration, tablesAt } from './shape.ts';
