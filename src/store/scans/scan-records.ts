import { sql } from 'kysely';
import type { PartRow } from '../facts/scan-platforms.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const MADE_WITH = sql`scanner, scanner_version, db_updated_at, scanned_at, os_family, os_name, os_eosl`;

/** insertScan makes the record of a scan, and gives its number. */
export async function insertScan(
  transaction: Executor,
  digest: string,
  scan: Omit<PartRow, 'platform' | 'image'>,
  {
    at,
    complete,
    isCurrent,
  }: { readonly at: number; readonly complete: boolean; readonly isCurrent: boolean },
): Promise<number> {
  const [made] = await run(
    transaction,
    sql<
      Row<'scans', 'id'>
    >`insert into scans (digest, scanner, scanner_version, db_updated_at, scanned_at, recorded_at, os_family, os_name, os_eosl,
       complete, current) values (${digest}, ${scan.scanner}, ${scan.scanner_version}, ${scan.db_updated_at}, ${scan.scanned_at}, ${at}, ${scan.os_family}, ${scan.os_name}, ${scan.os_eosl}, ${complete ? 1 : 0}, ${isCurrent ? 1 : 0}) returning id`,
  );
  if (made === undefined) throw new Error('a scan was not inserted');
  return made.id;
}

/**
 * scanAgain puts a scan that found the same again in the place of the one in use, whose record goes on under another number, but for one
 * that was read once more.
 */
export async function scanAgain(
  transaction: Executor,
  id: number,
  scan: Omit<PartRow, 'platform' | 'image'>,
  { at, isSame }: { readonly at: number; readonly isSame: boolean },
): Promise<number> {
  if (!isSame)
    await run(
      transaction,
      sql`insert into scans (digest, ${MADE_WITH}, recorded_at, complete, current)
       select digest, ${MADE_WITH}, recorded_at, complete, 0 from scans where id = ${id}`,
    );
  await run(
    transaction,
    sql`update scans set scanner = ${scan.scanner}, scanner_version = ${scan.scanner_version}, db_updated_at = ${scan.db_updated_at}, scanned_at = ${scan.scanned_at}, os_family = ${scan.os_family}, os_name = ${scan.os_name}, os_eosl = ${scan.os_eosl},
       recorded_at = ${at}, counted = 0 where id = ${id}`,
  );
  return id;
}
