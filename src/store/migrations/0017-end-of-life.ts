import { addColumns, createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** The operating system of earlier scans stays unknown, which is not end of life. */
export const endOfLife: Migration = {
  name: '0017-end-of-life',
  release: '1.1.0',
  summary: 'Scans say whether support of the operating system has ended',
  async up(db) {
    await addColumns(db, 'scans', { os_family: 'text', os_name: 'text', os_eosl: 'integer' });
    await createTable(
      db,
      'os_releases',
      { product: 'text!', release: 'text!', ends_at: 'integer', extended_ends_at: 'integer' },
      { key: ['product', 'release'], clustered: true },
    );
  },
};
