import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Rules over what the detector reports, in order, the first match decides; and images that such a rule keeps out. */
export const runtimeRules: Migration = {
  name: '0021-runtime-rules',
  release: '1.2.0',
  summary: 'Runtime rules, and blocks of images by them',
  async up(db) {
    await createTable(db, 'runtime_rules', {
      id: 'id',
      place: 'integer!',
      name: 'text!',
      enabled: 'integer!=1',
      // JSON of what it matches.
      match: 'text!',
      // This many events within this many milliseconds for each digest.
      count: 'integer!=1',
      duration_ms: 'integer!=0',
      // `allow`, `record`, `notify` or `block`.
      action: 'text!',
      // `manual`, or `window`: until it passes without an event.
      block_until: 'text',
      throttle_ms: 'integer',
      created_at: 'integer!',
      created_by: 'text',
      updated_at: 'integer!',
    });
    await createIndex(db, 'runtime_rules', ['place'], { unique: true });
    await createTable(db, 'runtime_blocks', {
      id: 'id',
      digest: 'text!',
      rule: 'text!',
      opened_at: 'integer!',
      last_event_at: 'integer!',
      released_at: 'integer',
      released_by: 'text',
      reason: 'text',
      note: 'text',
    });
    await createIndex(db, 'runtime_blocks', ['digest'], { unique: true, where: 'released_at is null' });
  },
};
