import { runText } from '../sql/dialect.ts';
import { makeHistory } from './0035-history.ts';
import { makeScanFailures } from './0035-scan-failures.ts';
import { addColumns, createIndex, type AnyDatabase } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

/** Length of `sha256:` and 64 digits. */
const DIGEST_CHARS = 71;

/**
 * Filled from the ledger: the newest review of each digest, where a row without a digest takes that of its reference. Sweeps and what was
 * never reviewed are not reviews.
 */
export const imageVerdictsFilled: Migration = {
  name: '0035-image-verdicts-filled',
  release: '1.3.7',
  summary: 'Last reviews filled from the ledger; history; why scans fail',
  async up(db) {
    const newest = await runText<{ known: string; newest: number; allowed: number }>(
      db,
      `select known, newest, ledger_shapes.allowed from (
         select coalesce(
             s.digest,
             case when s.image like '%@sha256:%' then substr(s.image, length(s.image) - ${DIGEST_CHARS - 1}) end
           ) as known, max(r.id) as newest
         from ledger_rows r join ledger_shapes s on s.id = r.shape where s.kind = 'review' group by 1
       ) as reviews
       join ledger_rows on ledger_rows.id = newest join ledger_shapes on ledger_shapes.id = ledger_rows.shape
       where known is not null`,
      [],
    );
    for (const { known, newest: row, allowed } of newest)
      await runText(db, 'update images set last_row_id = ?, last_allowed = ? where digest = ?', [
        row,
        allowed,
        known,
      ]);
    await makeHistory(db);
    await makeScanFailures(db);
    const where = 'db_updated_at is not null';
    await createIndex(db, 'scans', ['db_updated_at'], { where });
    await createIndex(db, 'scans', ['recorded_at'], { where });
    await markCounted(db);
  },
};

/** Each scan says itself whether the trackers counted it; before, all up to one were. */
async function markCounted(db: AnyDatabase): Promise<void> {
  await addColumns(db, 'scans', { counted: 'integer!=0' });
  const seen = `coalesce((select cast(value as bigint) from settings where key = 'trackers.seen_scans'), 0)`;
  await runText(db, `update scans set counted = 1 where id <= ${seen}`, []);
  await runText(db, `delete from settings where key = 'trackers.seen_scans'`, []);
  await createIndex(db, 'scans', ['id'], { name: 'scans_uncounted', where: 'current = 1 and counted = 0' });
}
