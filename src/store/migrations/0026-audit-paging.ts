import { createIndex } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** A page of the audit log is found by its index, newest first, also by person and by kind of entry. */
export const auditPaging: Migration = {
  name: '0026-audit-paging',
  release: '1.3.1',
  summary: 'The audit log is paged by time, person and action',
  async up(db) {
    await db.schema.dropIndex('audit_by_at').execute();
    await db.schema.dropIndex('audit_by_actor_id').execute();
    await createIndex(db, 'audit', ['at', 'id']);
    await createIndex(db, 'audit', ['actor_id', 'at']);
    await createIndex(db, 'audit', ['action', 'at']);
  },
};
