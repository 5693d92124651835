import { sql } from 'kysely';
import { addColumns, createIndex, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** What runs is judged again every hour; the clusters are those that the ledger names. */
export const reconciliation: Migration = {
  name: '0008-reconciliation',
  release: '0.3.0',
  summary: 'Reconciliation: clusters, sweeps and what each workload runs',
  async up(db) {
    await createTable(
      db,
      'clusters',
      { name: 'text!', first_seen_at: 'integer!', last_seen_at: 'integer!', forgotten_at: 'integer' },
      { key: ['name'] },
    );
    await createTable(db, 'reconcile_sweeps', {
      id: 'id',
      cluster: 'text!',
      started_at: 'integer!',
      // Null until the sweep is whole; only a whole one retires images.
      finished_at: 'integer',
      pods: 'integer!=0',
      unreviewed: 'integer!=0',
      refused: 'integer!=0',
      last_error: 'text',
    });
    await createIndex(db, 'reconcile_sweeps', ['cluster', 'started_at']);
    await createTable(
      db,
      'running_images',
      {
        digest: 'text!',
        cluster: 'text!',
        namespace: 'text!',
        workload: 'text!',
        first_seen_at: 'integer!',
        last_seen_at: 'integer!',
      },
      { key: ['digest', 'cluster', 'namespace', 'workload'], clustered: true },
    );
    // Which replicas may hold rows of reviews that the database has not, and what a sweep asks them.
    await createTable(
      db,
      'replicas',
      {
        name: 'text!',
        cluster: 'text!',
        life: 'integer!',
        started_at: 'integer!',
        seen_at: 'integer!',
        holding_since: 'integer',
        waiting_rows: 'integer!=0',
        answered: 'text',
        clean_at: 'integer',
        ended_at: 'integer',
        forgotten_at: 'integer',
      },
      { key: ['name'] },
    );
    await createIndex(db, 'replicas', ['cluster']);
    await createTable(
      db,
      'replica_questions',
      { cluster: 'text!', token: 'text!', asked_at: 'integer!' },
      { key: ['cluster'] },
    );
    await createIndex(db, 'running_images', ['cluster', 'namespace', 'workload']);
    await addColumns(db, 'ledger', { kind: 'text!=review' });
    await sql`
      insert into clusters (name, first_seen_at, last_seen_at)
      select cluster, min(at), max(at) from ledger where cluster is not null group by cluster
    `.execute(db);
  },
};
