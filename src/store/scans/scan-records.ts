import type { PartRow } from '../facts/scan-platforms.ts';
import { runText } from '../sql/dialect.ts';

type Executor = Parameters<typeof runText>[0];

const MADE_WITH = 'scanner, scanner_version, db_updated_at, scanned_at, os_family, os_name, os_eosl';

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
  const [made] = await runText<{ id: number }>(
    transaction,
    `insert into scans (digest, scanner, scanner_version, db_updated_at, scanned_at, recorded_at, os_family, os_name, os_eosl,
       complete, current) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`,
    [
      ...[digest, scan.scanner, scan.scanner_version, scan.db_updated_at, scan.scanned_at, at],
      ...[scan.os_family, scan.os_name, scan.os_eosl, complete ? 1 : 0, isCurrent ? 1 : 0],
    ],
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
    await runText(
      transaction,
      `insert into scans (digest, ${MADE_WITH}, recorded_at, complete, current)
       select digest, ${MADE_WITH}, recorded_at, complete, 0 from scans where id = ?`,
      [id],
    );
  await runText(
    transaction,
    `update scans set scanner = ?, scanner_version = ?, db_updated_at = ?, scanned_at = ?, os_family = ?, os_name = ?, os_eosl = ?,
       recorded_at = ?, counted = 0 where id = ?`,
    [
      ...[scan.scanner, scan.scanner_version, scan.db_updated_at, scan.scanned_at, scan.os_family],
      ...[scan.os_name, scan.os_eosl, at, id],
    ],
  );
  return id;
}
