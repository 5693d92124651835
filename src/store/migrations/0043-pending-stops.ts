import { createIndex } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** A new leader looks for stops that the one before left, however long ago: few among many events. */
export const pendingStops: Migration = {
  name: '0043-pending-stops',
  release: '1.3.7',
  summary: 'Stops that are left are found without a time',
  async up(db) {
    await createIndex(db, 'runtime_events', ['cluster', 'id'], {
      name: 'runtime_events_pending',
      where: `policy_effect = 'pending'`,
    });
  },
};
