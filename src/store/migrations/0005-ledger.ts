import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** One wide row per decided image; ids have gaps, and two replicas may write them out of the order of time. */
export const ledger: Migration = {
  name: '0005-ledger',
  release: '0.1.0',
  summary: 'The admission ledger',
  async up(db) {
    await createTable(db, 'ledger', {
      id: 'id',
      at: 'integer!',
      review_uid: 'text',
      cluster: 'text',
      namespace: 'text',
      pod: 'text',
      pod_uid: 'text',
      container: 'text',
      image: 'text',
      digest: 'text',
      allowed: 'integer!',
      review_allowed: 'integer!',
      reason: 'text!',
      policy: 'text',
      break_glass: 'integer!=0',
      break_glass_reason: 'text',
      requester: 'text',
    });
    await createIndex(db, 'ledger', ['at']);
    await createIndex(db, 'ledger', ['digest']);
  },
};
