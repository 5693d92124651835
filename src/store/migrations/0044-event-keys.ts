import { runText } from '../sql/dialect.ts';
import type { Migration } from './migration.ts';

/** The relay repeats what it has no answer for: of the events of before, those that came last. */
const REPEATED = 10_000;

/**
 * Keys of events begin with the time of the event, so that those of one moment lie on one page of their index. The last ones get theirs, so
 * that one that the relay sends again across the upgrade stays one; older keys are never asked for again.
 */
export const eventKeys: Migration = {
  name: '0044-event-keys',
  release: '1.3.7',
  summary: 'Keys of runtime events begin with their time',
  async up(db) {
    const rows = await runText<{ id: number; at: number; event_key: string }>(
      db,
      'select id, at, event_key from runtime_events where event_key is not null order by id desc limit ?',
      [REPEATED],
    );
    for (const { id, at, event_key: key } of rows)
      await runText(db, 'update runtime_events set event_key = ? where id = ?', [
        `${Math.max(0, at).toString(16).padStart(12, '0')}${key}`,
        id,
      ]);
  },
};
