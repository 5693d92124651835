import { addColumns, createIndex } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Trackers file runtime alerts, which are few among many events and looked for every minute; a row ends when its rule is quiet. */
export const runtimeIssues: Migration = {
  name: '0041-runtime-issues',
  release: '1.3.7',
  summary: 'Issues for runtime alerts',
  async up(db) {
    await addColumns(db, 'tracking', { last_event_at: 'integer' });
    await createIndex(db, 'runtime_events', ['digest', 'rule', 'id'], {
      name: 'runtime_events_alerted',
      where: 'alerted = 1',
    });
    await createIndex(db, 'tracking', ['digest', 'rule'], {
      name: 'tracking_alerts',
      where: `kind = 'runtime'`,
    });
  },
};
