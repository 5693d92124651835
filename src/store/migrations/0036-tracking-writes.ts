import { addColumns, createIndex, createTable } from '../schema.ts';
import type { Migration } from './migration.ts';

/** What filing and closing need beside the first columns of `tracking`, so that neither is done twice across a crash. */
export const trackingWrites: Migration = {
  name: '0036-tracking-writes',
  release: '1.3.7',
  summary: 'Issues of trackers: attempts, closings and what counts under a cap',
  async up(db) {
    await addColumns(db, 'tracking', {
      // The provider's own number of the issue, which stays when it moves; where the create was sent.
      issue_id: 'text',
      target: 'text',
      // Steady times of the last create, and of a first look-up that found nothing.
      attempt_tick: 'integer',
      missed_tick: 'integer',
      // The scan that found it last.
      found_scanner: 'text',
      found_db_at: 'integer',
      // Why it is not closed though it seems to have ended; a person's word that it is fixed.
      withheld: 'text',
      confirmed_at: 'integer',
      confirmed_by: 'text',
      // The closing that is under way: `comment` or `commented`, and the reason that its comment names.
      closing_id: 'text',
      closing_step: 'text',
      closing_reason: 'text',
      closing_at: 'integer',
      closing_tick: 'integer',
    });
    await createIndex(db, 'tracking', ['marker']);
    // An index over every state would be taken for the walk over open rows, and every page sorted anew.
    await db.schema.dropIndex('tracking_by_state_issue_key').execute();
    await createIndex(db, 'tracking', ['id'], { name: 'tracking_open', where: `state = 'open'` });
    await createIndex(db, 'tracking', ['id'], {
      name: 'tracking_unfiled',
      where: `state = 'open' and issue_key is null`,
    });
    await createIndex(db, 'tracking', ['closing_id'], { where: 'closing_id is not null' });
    await createIndex(db, 'findings', ['scan_id', 'cve'], {
      name: 'findings_critical',
      where: `severity = 'CRITICAL'`,
    });
    // What counts under a channel's cap: each issue by its marker, with the steady time when it may have been opened.
    await createTable(
      db,
      'tracking_issues',
      { marker: 'text!', channel_id: 'text!', tick: 'integer!' },
      { key: ['marker'] },
    );
    await createIndex(db, 'tracking_issues', ['channel_id', 'tick']);
  },
};
