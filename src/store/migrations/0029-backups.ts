import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Which backups were made, and what became of them. */
export const backups: Migration = {
  name: '0029-backups',
  release: '1.3.1',
  summary: 'The history of backups',
  async up(db) {
    await createTable(db, 'backups', {
      id: 'id',
      started_at: 'integer!',
      finished_at: 'integer',
      target: 'text!',
      bytes: 'integer',
      sha256: 'text',
      ledger_size: 'integer',
      last_error: 'text',
    });
    await createIndex(db, 'backups', ['started_at']);
  },
};
