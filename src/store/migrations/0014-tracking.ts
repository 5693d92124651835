import { addColumns, createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** One row for each finding that was filed; a row that was closed as triaged does not block its return. */
export const tracking: Migration = {
  name: '0014-tracking',
  release: '1.1.0',
  summary: 'Tracked findings and their issues; where an image is built from',
  async up(db) {
    await createTable(db, 'tracking', {
      id: 'id',
      // `finding`, or `runtime` with `rule` in the place of `cve`.
      kind: 'text!',
      digest: 'text!',
      cve: 'text',
      rule: 'text',
      generation: 'integer!=1',
      channel_id: 'text!',
      closed_via: 'text',
      channel_kind: 'text!',
      image: 'text',
      clusters: 'text!',
      severity: 'text',
      issue_key: 'text',
      issue_url: 'text',
      summary: 'integer!=0',
      state: 'text!',
      reason: 'text',
      last_error: 'text',
      attempts: 'integer!=0',
      attempt_id: 'text',
      attempt_at: 'integer',
      marker: 'text',
      fence: 'integer',
      claimed_at: 'integer!',
      opened_at: 'integer',
      closed_at: 'integer',
      issue_left_open: 'integer!=0',
      returned_at: 'integer',
      superseded_by: 'text',
      successor_has_cve: 'integer',
      // The provider's own number of the issue, which stays when it moves; where the create was sent.
      issue_id: 'text',
      target: 'text',
      // Steady times of the last create, and of the last look-up that found nothing, with how many there were.
      attempt_tick: 'integer',
      misses: 'integer!=0',
      missed_tick: 'integer',
      // The first create of which nobody learned what it did, once another was begun; and where it was sent.
      unsure_at: 'integer',
      unsure_target: 'text',
      // The repository that a label names and that is not there: what it answered, and how often.
      away_target: 'text',
      away_answer: 'text',
      away_times: 'integer!=0',
      // The scan that found it last, and when that was recorded.
      found_scanner: 'text',
      found_db_at: 'integer',
      found_scan_at: 'integer',
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
    await createIndex(db, 'tracking', ['digest', 'cve'], {
      unique: true,
      where: `kind = 'finding' and (state <> 'closed' or reason <> 'triaged')`,
    });
    await createIndex(db, 'tracking', ['channel_id', 'claimed_at']);
    // The unique one leaves out rows closed as triaged, whose generations count too.
    await createIndex(db, 'tracking', ['digest', 'cve'], { name: 'tracking_generations' });
    await createIndex(db, 'tracking', ['marker']);
    // An index over every state would be taken for the walk over open rows, and every page sorted again.
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
    // The text of a summary, kept before its first create until its issue is known.
    await createTable(
      db,
      'tracking_summaries',
      { marker: 'text!', form: 'text!', text: 'text!' },
      { key: ['marker'] },
    );
    // Comments that continue a summary, until each is posted; `trying` while it is not known whether the last post was.
    await createTable(
      db,
      'tracking_continuations',
      {
        id: 'text!',
        marker: 'text!',
        place: 'integer!',
        body: 'text!',
        attempts: 'integer!=0',
        attempt_at: 'integer',
        attempt_tick: 'integer',
        trying: 'integer!=0',
        last_error: 'text',
      },
      { key: ['id'] },
    );
    await createIndex(db, 'tracking_continuations', ['marker', 'place'], { unique: true });
    await createTable(
      db,
      'fences',
      // Raised with every change of the leader, whose writes carry it, so that a leader that lost its place writes nothing.
      { name: 'text!', value: 'integer!', holder: 'text', acquired_at: 'integer' },
      { key: ['name'] },
    );
    await addColumns(db, 'images', { source: 'text' });
  },
};
