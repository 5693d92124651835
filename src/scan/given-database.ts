import { DAY_MS, formatTime, parseTime } from '../base/index.ts';
import { ScanError } from './scan-error.ts';
import type { ScanReport } from './scan-report.ts';

const HINT =
  'Give what `trivy version --format json` said of VulnerabilityDB.UpdatedAt on the machine that scanned';

/**
 * withDatabase adds to a report when its scanner's database was made, as its importer says (RFC 3339). Trivy leaves that out of reports
 * that it makes without a server. It may not contradict the report, nor be later than the scan. Throws ScanError `invalid_request`, or
 * `invalid_report` where what the report itself says cannot be true.
 */
export function withDatabase(report: ScanReport, given: string | null | undefined, at: number): ScanReport {
  const { scan, file } = report;
  checkDatabase(scan, file, at);
  if (given === null || given === undefined) return report;
  const made = parseTime(given);
  if (Number.isNaN(made))
    throw wrong(file, `db_updated_at "${given.slice(0, 60)}" is not an RFC 3339 time (2026-11-20T06:00:00Z)`);
  const said = formatTime(Math.floor(made));
  if (made > at) throw wrong(file, `db_updated_at ${said} is in the future`);
  if (scan.scannedAt !== null && made > parseTime(scan.scannedAt))
    throw wrong(
      file,
      `db_updated_at ${said} is later than the scan, which was made at ${scan.scannedAt}: it belongs to another database`,
    );
  const own = scan.scanner?.dbUpdatedAt ?? null;
  if (own !== null && Math.floor(parseTime(own)) !== Math.floor(made))
    throw wrong(file, `the report says that its database was made at ${own}, db_updated_at says ${said}`);
  if (scan.scanner === null) throw wrong(file, 'the report names no scanner whose database db_updated_at is');
  return { ...report, scan: { ...scan, scanner: { ...scan.scanner, dbUpdatedAt: said } } };
}

/** A scan proves a finding fixed by the age of its database: one that was not yet made when the scan was would prove anything. */
function checkDatabase({ scanner, scannedAt }: ScanReport['scan'], file: string, at: number): void {
  const databaseAt = scanner?.dbUpdatedAt ?? null;
  if (databaseAt === null) return;
  const made = parseTime(databaseAt);
  const isAfterScan = scannedAt !== null && made > parseTime(scannedAt) + DAY_MS;
  const late = isAfterScan ? `after the scan of ${scannedAt}` : null;
  const when = made > at + DAY_MS ? 'which is in the future' : late;
  if (when === null) return;
  throw new ScanError(
    'invalid_report',
    `the report says that its database was made at ${databaseAt}, ${when}`,
    {
      file,
      hint: 'Set the clock of the machine that scans, and scan again',
    },
  );
}

function wrong(file: string, message: string): ScanError {
  return new ScanError('invalid_request', message, {
    file,
    hint: HINT,
    fields: [{ path: 'db_updated_at', message }],
  });
}
