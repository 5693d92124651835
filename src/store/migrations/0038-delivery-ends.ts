import { createIndex } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** The health counts the messages that were given up in the last 24 hours, whenever they were made. */
export const deliveryEnds: Migration = {
  name: '0038-delivery-ends',
  release: '1.3.7',
  summary: 'Notifications: an index of messages that were given up, by when',
  async up(db) {
    await createIndex(db, 'deliveries', ['ended_at'], {
      name: 'deliveries_failed',
      where: "state = 'failed'",
    });
  },
};
