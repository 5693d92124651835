import type { MigrationPlan, StoredDocuments } from '../../store/index.ts';

export type { MigrationPlan, PlannedMigration, StoredDocuments } from '../../store/index.ts';

/** planDatabase tells which migrations a database has gone through and which are due. It writes nothing. Throws StoreError. */
export async function planDatabase(url: string): Promise<MigrationPlan> {
  const { planMigrations } = await import('../../store/index.ts');
  return planMigrations(url);
}

/** MigrationWatch is told the name of each migration that this process begins, and of each that it has applied. */
export interface MigrationWatch {
  begun(name: string): void;
  applied(name: string): void;
}

/** migrateDatabase brings a database to the newest schema. Throws StoreError. */
export async function migrateDatabase(url: string, watch: MigrationWatch): Promise<MigrationPlan> {
  const { runMigrations } = await import('../../store/index.ts');
  return runMigrations(url, {
    begun: ({ name }) => watch.begun(name),
    applied: ({ name }) => watch.applied(name),
  });
}

/** readStoredDocuments reads documents of a database of any release that a later one may refuse. It writes nothing. Throws StoreError. */
export async function readStoredDocuments(url: string): Promise<StoredDocuments> {
  return (await import('../../store/index.ts')).readStoredDocuments(url);
}
