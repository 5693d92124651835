import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/**
 * What the outbox held was of before anything sent it: it is deleted, since nobody wants to be told of it now. From here on the outbox
 * gathers, for each channel, what it is to be told next, and a delivery is one message with its tries.
 */
export const notifications: Migration = {
  name: '0036-notifications',
  release: '1.3.7',
  summary: 'Notifications: messages to channels with their tries, and mutes',
  async up(db) {
    await db.schema.dropTable('outbox').execute();
    await createTable(db, 'outbox', {
      id: 'id',
      channel_id: 'text!',
      event: 'text!',
      subject: 'text!',
      count: 'integer!',
      shown: 'integer!',
      // A line of JSON for each occurrence that is shown.
      items: 'text!',
      first_at: 'integer!',
      last_at: 'integer!',
    });
    await createIndex(db, 'outbox', ['channel_id', 'event', 'subject'], { unique: true });
    await createTable(
      db,
      'event_throttle',
      { throttle_key: 'text!', at: 'integer!' },
      { key: ['throttle_key'] },
    );
    await createTable(db, 'deliveries', {
      id: 'id',
      message: 'text!',
      channel_id: 'text!',
      channel_name: 'text!',
      kind: 'text!',
      target: 'text!',
      // JSON lists of events with their counts, and of ids of earlier messages.
      events: 'text!',
      refs: 'text!',
      content: 'text!',
      title: 'text!',
      state: 'text!',
      created_at: 'integer!',
      attempts: 'integer!=0',
      attempted_at: 'integer',
      first_attempt_at: 'integer',
      not_before: 'integer!',
      ended_at: 'integer',
      answer: 'text',
      last_error: 'text',
    });
    await createIndex(db, 'deliveries', ['message'], { unique: true });
    await createIndex(db, 'deliveries', ['channel_id', 'id']);
    await createIndex(db, 'deliveries', ['channel_id', 'attempted_at']);
    await createIndex(db, 'deliveries', ['channel_id'], {
      name: 'deliveries_waiting',
      where: "state = 'waiting'",
    });
    await createIndex(db, 'deliveries', ['created_at']);
    await createTable(
      db,
      'delivery_threads',
      { channel_id: 'text!', subject: 'text!', message: 'text!', at: 'integer!' },
      { key: ['channel_id', 'subject'] },
    );
    await createIndex(db, 'delivery_threads', ['at']);
    await createTable(db, 'channel_mutes', {
      id: 'id',
      channel_id: 'text!',
      muted_at: 'integer!',
      until: 'integer!',
      reason: 'text!',
      // `user:<account_id>`.
      muted_by: 'text',
      ended_at: 'integer',
      unmuted_by: 'text',
    });
    await createIndex(db, 'channel_mutes', ['channel_id', 'id']);
  },
};
