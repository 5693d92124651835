import { addColumns, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** The node ceiling and its clock of grace; a cluster that was never counted has no row. */
export const nodes: Migration = {
  name: '0025-nodes',
  release: '1.3.0',
  summary: 'Nodes of each cluster against the ceiling, with its grace clock',
  async up(db) {
    await createTable(
      db,
      'nodes',
      {
        cluster: 'text!',
        count: 'integer!',
        ceiling: 'integer',
        counted_at: 'integer!',
        // `within`, `over` or `enforced`; since when over; what was notified last, so that each transition is told once.
        state: 'text!',
        over_since: 'integer',
        notified: 'text',
      },
      { key: ['cluster'] },
    );
    await addColumns(db, 'licence', { nodes: 'integer' });
  },
};
