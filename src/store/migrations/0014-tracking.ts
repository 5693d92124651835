import { addColumns, createIndex, createTable } from '../schema.ts';
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
    });
    await createIndex(db, 'tracking', ['digest', 'cve'], {
      unique: true,
      where: `kind = 'finding' and (state <> 'closed' or reason <> 'triaged')`,
    });
    await createIndex(db, 'tracking', ['channel_id', 'claimed_at']);
    await createIndex(db, 'tracking', ['state', 'issue_key']);
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
