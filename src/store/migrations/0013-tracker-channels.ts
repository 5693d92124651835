import { sql } from 'kysely';
import { addColumns, createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Of several tracker channels the first by order of creation files an issue, so channels get a place. */
export const trackerChannels: Migration = {
  name: '0013-tracker-channels',
  release: '1.1.0',
  summary: 'Channels of issue trackers, and the outbox of notifications',
  async up(db) {
    await addColumns(db, 'channels', {
      place: 'integer!=0',
      version: 'integer!=1',
      updated_at: 'integer!=0',
      updated_by: 'text',
      first_run_at: 'integer',
      not_before: 'integer',
      cap_warned_at: 'integer',
      last_error: 'text',
      last_error_at: 'integer',
    });
    await sql`
      update channels set updated_at = created_at, place = (
        select count(*) from channels as other
        where other.created_at < channels.created_at
          or (other.created_at = channels.created_at and other.id <= channels.id)
      )
    `.execute(db);
    await createIndex(db, 'channels', ['place'], { unique: true });
    await createTable(db, 'outbox', {
      id: 'id',
      event: 'text!',
      // What makes two notifications one, or null; JSON of the event.
      throttle_key: 'text',
      payload: 'text!',
      channel_id: 'text',
      created_at: 'integer!',
      not_before: 'integer!=0',
      attempts: 'integer!=0',
      claimed_at: 'integer',
      fence: 'integer',
      delivered_at: 'integer',
      last_error: 'text',
    });
    await createIndex(db, 'outbox', ['not_before'], { where: 'delivered_at is null' });
    await createIndex(db, 'outbox', ['throttle_key', 'created_at']);
  },
};
