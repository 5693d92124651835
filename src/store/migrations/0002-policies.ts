import { createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** The policies in effect, each as its document was sent. */
export const policies: Migration = {
  name: '0002-policies',
  release: '0.1.0',
  summary: 'Policies in effect, each as its document was sent',
  async up(db) {
    await createTable(
      db,
      'policies',
      {
        name: 'text!',
        document: 'text!',
        created_at: 'integer!',
        updated_at: 'integer!',
        updated_by: 'text',
      },
      { key: ['name'] },
    );
  },
};
