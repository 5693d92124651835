import { createTable } from '../sql/schema.ts';
import type { AnyDatabase } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/**
 * Licence and meter are of one cluster each. A certificate that was active stays so for every cluster that was counted. The meter of the
 * month is taken from the ledger again, which says of each admission in which cluster it was.
 */
export const licences: Migration = {
  name: '0040-licences',
  release: '1.3.7',
  summary: 'Licence, its checks and the meter of image names, for each cluster',
  async up(db) {
    await createTable(
      db,
      'licences',
      {
        cluster: 'text!',
        cluster_id: 'text!',
        certificate: 'text',
        activated_at: 'integer',
        expires_at: 'integer',
        nodes: 'integer',
        image_names: 'integer',
        clusters: 'integer',
        request_id: 'text',
        checked_at: 'integer',
        last_error: 'text',
      },
      { key: ['cluster'] },
    );
    await takeOver(db);
    await db.schema.dropTable('licence').execute();
    await db.schema.dropTable('meter').execute();
    await createTable(
      db,
      'meter',
      { cluster: 'text!', month: 'text!', name: 'text!', first_admitted_at: 'integer!' },
      { key: ['cluster', 'month', 'name'], clustered: true },
    );
    await db.deleteFrom('settings').where('key', '=', 'meter_upto').execute();
  },
};

async function takeOver(db: AnyDatabase): Promise<void> {
  const [row] = await db.selectFrom('licence').selectAll().orderBy('id').limit(1).execute();
  if (row === undefined) return;
  const counted = await db.selectFrom('nodes').select('cluster').orderBy('cluster').execute();
  const names = counted.length === 0 ? [''] : counted.map(({ cluster }) => String(cluster));
  const { certificate, activated_at, expires_at, nodes, image_names, clusters, checked_at, last_error } = row;
  for (const cluster of names)
    await db
      .insertInto('licences')
      .values({
        cluster,
        cluster_id: '',
        certificate,
        activated_at,
        expires_at,
        nodes,
        image_names,
        clusters,
        request_id: null,
        checked_at,
        last_error,
      })
      .execute();
}
