import { createIndex, createTable, type AnyDatabase } from '../sql/schema.ts';

/** makeScanFailures keeps why images could not be scanned for each platform, also once the queue has given them up. */
export async function makeScanFailures(db: AnyDatabase): Promise<void> {
  await createTable(
    db,
    'scan_failures',
    {
      digest: 'text!',
      platform: 'text!',
      reason: 'text!',
      message: 'text!',
      since: 'integer!',
      last_at: 'integer!',
      attempts: 'integer!',
    },
    { key: ['digest', 'platform'] },
  );
  await createIndex(db, 'scan_failures', ['last_at']);
  // It was one text for all platforms, and gone with the last attempt.
  await db.schema.alterTable('scan_queue').dropColumn('last_error').execute();
}
