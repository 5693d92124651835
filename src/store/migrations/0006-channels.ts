import { createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Where notifications go. */
export const channels: Migration = {
  name: '0006-channels',
  release: '0.1.0',
  summary: 'Notification channels and their events',
  async up(db) {
    await createTable(
      db,
      'channels',
      {
        id: 'text!',
        kind: 'text!',
        name: 'text!',
        enabled: 'integer!=1',
        // JSON of the channel's document; JSON list of event names.
        settings: 'text!',
        subscriptions: 'text!',
        created_at: 'integer!',
      },
      { key: ['id'] },
    );
  },
};
