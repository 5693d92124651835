import { addColumns } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Blocked follows the last review, so an image says which row that was and how it ended. */
export const imageVerdicts: Migration = {
  name: '0034-image-verdicts',
  release: '1.3.7',
  summary: 'Images name their last review and its verdict',
  async up(db) {
    await addColumns(db, 'images', { last_row_id: 'integer', last_allowed: 'integer' });
  },
};
