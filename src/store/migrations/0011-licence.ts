import { createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** One check of the licence a day for all replicas, and the image names that were admitted in each month. */
export const licence: Migration = {
  name: '0011-licence',
  release: '1.0.0',
  summary: 'One licence check a day for all replicas; image names by month',
  async up(db) {
    await createTable(
      db,
      'licence',
      {
        id: 'integer!',
        certificate: 'text!',
        activated_at: 'integer!',
        expires_at: 'integer',
        image_names: 'integer',
        clusters: 'integer',
        checked_at: 'integer',
        last_error: 'text',
      },
      { key: ['id'] },
    );
    await createTable(
      db,
      'meter',
      { month: 'text!', name: 'text!', first_admitted_at: 'integer!' },
      { key: ['month', 'name'], clustered: true },
    );
  },
};
