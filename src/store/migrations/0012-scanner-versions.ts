import { sql } from 'kysely';
import { addColumns } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** What was recorded as the scanner's version was that of the program's build, so it goes; the real one of old scans is unknown. */
export const scannerVersions: Migration = {
  name: '0012-scanner-versions',
  release: '1.0.2',
  summary: 'Real versions of scanner and database; earlier ones are unknown',
  async up(db) {
    await addColumns(db, 'scans', { scanner_version: 'text', db_updated_at: 'integer' });
    const named = await db
      .selectFrom('scans')
      .select('scanner')
      .distinct()
      .where('scanner', 'like', '%/%')
      .execute();
    for (const { scanner } of named) {
      const [name] = String(scanner).split('/');
      await sql`update scans set scanner = ${name} where scanner = ${scanner}`.execute(db);
    }
  },
};
