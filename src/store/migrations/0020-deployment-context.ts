import { addColumns } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Rows from before stay without context: null, where none of the six signals would be an empty list. */
export const deploymentContext: Migration = {
  name: '0020-deployment-context',
  release: '1.1.0',
  summary: 'Ledger rows carry the six signals; earlier rows have none',
  async up(db) {
    await addColumns(db, 'ledger_shapes', { signals: 'text', exposed_by: 'text', inputs: 'text' });
  },
};
