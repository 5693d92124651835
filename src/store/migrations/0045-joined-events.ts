import { createIndex } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Only events that were joined to an image are found by it: one that just came costs its index nothing, and once decided only its new place. */
export const joinedEvents: Migration = {
  name: '0045-joined-events',
  release: '1.3.7',
  summary: 'Runtime events are found by their image once they are joined',
  async up(db) {
    await db.schema.dropIndex('runtime_events_by_digest_rule_at').execute();
    await createIndex(db, 'runtime_events', ['digest', 'rule', 'at'], { where: 'digest is not null' });
  },
};
