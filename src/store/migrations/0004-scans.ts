import { createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Scans with their findings, the queue of those that are due, and what people decided on a finding. */
export const scans: Migration = {
  name: '0004-scans',
  release: '0.1.0',
  summary: 'Scans, findings, the scan queue and triage',
  async up(db) {
    await createTable(db, 'scans', {
      id: 'id',
      digest: 'text!',
      // `name/version`, the version being the one that the program was built with.
      scanner: 'text',
      scanned_at: 'integer',
      recorded_at: 'integer!',
      complete: 'integer!',
    });
    await createIndex(db, 'scans', ['digest', 'recorded_at']);
    await createTable(
      db,
      'findings',
      {
        scan_id: 'integer!',
        ordinal: 'integer!',
        cve: 'text!',
        severity: 'text!',
        package: 'text!',
        installed: 'text!',
        fixed: 'text',
        purl: 'text',
      },
      { key: ['scan_id', 'ordinal'], belongsTo: { scan_id: 'scans.id' }, clustered: true },
    );
    await createTable(
      db,
      'scan_queue',
      {
        digest: 'text!',
        requested_at: 'integer!',
        requested_by: 'text',
        attempts: 'integer!=0',
        not_before: 'integer!=0',
        claimed_at: 'integer',
        last_error: 'text',
      },
      { key: ['digest'] },
    );
    await createTable(db, 'triage', {
      id: 'id',
      digest: 'text!',
      cve: 'text!',
      reason: 'text!',
      triaged_by: 'text!',
      created_at: 'integer!',
      until: 'integer!',
    });
    await createIndex(db, 'triage', ['digest', 'cve']);
  },
};
