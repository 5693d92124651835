import { sql } from 'kysely';
import { engineOf } from '../sql/dialect.ts';
import { addColumns, createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

const ORDERS = {
  attention: 'attention desc, ',
  name: '',
  severity: 'severity desc, ',
  findings: 'findings desc, ',
  last_seen: '(coalesce(last_row_id, 0)) desc, ',
  scanned: '(coalesce(scanned_at, -1)) desc, ',
} as const;

/**
 * The newest completed scan of a digest is marked, so that a list need not look for it, and findings are kept of only that one. What the
 * list shows of each image is worked out once and kept; the service does that for every image here when it starts.
 */
export const imagePaging: Migration = {
  name: '0027-image-paging',
  release: '1.3.1',
  summary: 'The list of images is paged; the scan that counts is marked',
  async up(db) {
    await addColumns(db, 'scans', { current: 'integer!=0' });
    await sql`
      update scans set current = 1 where complete = 1 and id = (
        select other.id from scans as other where other.digest = scans.digest and other.complete = 1
        order by coalesce(other.scanned_at, -1) desc, other.id desc limit 1
      )
    `.execute(db);
    await createIndex(db, 'scans', ['digest'], {
      name: 'scans_current',
      unique: true,
      where: 'current = 1',
    });
    await sql`delete from findings where scan_id not in (select id from scans where current = 1)`.execute(db);
    await createTable(
      db,
      'image_sightings',
      { digest: 'text!', namespace: 'text!', row_id: 'integer!', shape: 'integer!' },
      { key: ['digest', 'namespace'], clustered: true },
    );
    await createIndex(db, 'image_sightings', ['namespace']);
    await createTable(
      db,
      'image_states',
      {
        digest: 'text!',
        touched: 'integer!=0',
        judged_for: 'text',
        judged_until: 'integer',
        basis: 'text',
        state: 'text',
        attention: 'integer!=0',
        severity: 'integer!=0',
        name: 'text!',
        search: 'text!',
        namespaces: 'text',
        scan: 'text',
        findings: 'integer!=0',
        scanned_at: 'integer',
        last_row_id: 'integer',
        next: 'text',
        facts_names: 'text',
      },
      { key: ['digest'] },
    );
    await createIndex(db, 'image_states', ['judged_for']);
    await createIndex(db, 'image_states', ['judged_until']);
    // Each order of the list, with all that a page of it is found by: its rows are wide.
    for (const [order, by] of Object.entries(ORDERS))
      await sql
        .raw(
          `create index "image_states_by_${order}" on image_states (${by}name, digest, state) where state is not null`,
        )
        .execute(db);
    await createTable(
      db,
      'image_search',
      { digest: 'text!', state: 'text!', name: 'text!', search: 'text!' },
      { key: ['digest'], clustered: true },
    );
    // A search in the order of names ends with its page: nothing is sorted. PostgreSQL takes no long texts into an index.
    const held = engineOf(db) === 'sqlite' ? ['search'] : [];
    await createIndex(db, 'image_search', ['name', 'digest', 'state', ...held], {
      name: 'image_search_by_name',
    });
    await sql`insert into image_states (digest, name, search) select digest, '', '' from images`.execute(db);
  },
};
