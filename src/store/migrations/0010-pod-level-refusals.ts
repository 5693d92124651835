import { addColumns } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Refusals of a pod as a whole are recorded too: rows without an image. */
export const podLevelRefusals: Migration = {
  name: '0010-pod-level-refusals',
  release: '0.3.6',
  summary: 'Refusals of a pod as a whole stand in the ledger',
  async up(db) {
    await addColumns(db, 'ledger_shapes', { pod_level: 'integer!=0' });
  },
};
