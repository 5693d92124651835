/**
 * How a database is opened, locked, shared by processes and migrated, on either engine.
 * It uses `cells`, `migrations`, `sql` and `tables`.
 */
export { contentsOf, type DatabaseContents } from './contents.ts';
export { logBytesOf, sqliteFileOf } from './location.ts';
export { readStoredDocuments, type StoredDocuments } from './old-documents.ts';
export { openStore } from './open.ts';
export { planMigrations, runMigrations, type MigrationPlan, type PlannedMigration } from './plan.ts';
export { inspectDatabase } from './inspect.ts';
export { lockFile } from './process-lock.ts';
export { LogKeeper, type LogStep } from './sqlite-log.ts';
export { syncedFile } from './sqlite-synced.ts';
export type { Turn } from './sqlite-turns.ts';
export type { WriteTimes } from './write-times.ts';
