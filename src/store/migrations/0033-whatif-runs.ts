import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** What-if runs are kept for 90 days, at most 500. */
export const whatifRuns: Migration = {
  name: '0033-whatif-runs',
  release: '1.3.7',
  summary: 'What-if runs are kept',
  async up(db) {
    await createTable(
      db,
      'whatif_runs',
      {
        id: 'text!',
        at: 'integer!',
        account_id: 'text!',
        policy: 'text!',
        revision: 'text!',
        source: 'text',
        days: 'integer!',
        period_from: 'integer!',
        as_of: 'integer!',
        evaluated: 'integer!',
        would_deny: 'integer!',
        would_allow: 'integer!',
        draft: 'text!',
        result: 'text!',
      },
      { key: ['id'] },
    );
    await createIndex(db, 'whatif_runs', ['at']);
    await createIndex(db, 'whatif_runs', ['policy', 'at']);
  },
};
