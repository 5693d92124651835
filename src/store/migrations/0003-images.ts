import { createTable } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** The digests that were ever seen, and the names they were seen under. */
export const images: Migration = {
  name: '0003-images',
  release: '0.1.0',
  summary: 'Images and their names',
  async up(db) {
    await createTable(db, 'images', { digest: 'text!', first_seen_at: 'integer!' }, { key: ['digest'] });
    await createTable(
      db,
      'image_names',
      {
        digest: 'text!',
        name: 'text!',
        last_seen_at: 'integer!',
        // 1 where nothing but reviews that were denied for its registry named it: nobody is to be asked there.
        not_asked: 'integer',
      },
      { key: ['digest', 'name'], clustered: true },
    );
  },
};
