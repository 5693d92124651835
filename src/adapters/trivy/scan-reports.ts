import type { ScanReport } from '../../scan/index.ts';
import { isOfKnownKind, parseJson } from './not-a-report.ts';
import { isOperatorReport, toOperatorScanReport } from './operator-report.ts';
import { toScanReport } from './report.ts';
import { ReportError } from './report-error.ts';

const MAX_ITEMS = 10_000;
const KINDS =
  'Make one with `trivy image --format json`, `grype -o json` or `kubectl get vulnerabilityreports -o json`';

/**
 * readScanReports reads what Trivy leaves behind: a report of the program, a VulnerabilityReport of trivy-operator, or a list of
 * those as `kubectl get vulnerabilityreports -o json` writes it. Throws ReportError.
 */
export function readScanReports(value: unknown, file: string): readonly ScanReport[] {
  const items = itemsOf(value);
  if (items === null) return [readOne(value, file)];
  if (items.length > MAX_ITEMS) throw new ReportError(file, `the list holds more than ${MAX_ITEMS} reports`);
  return items.map((item, i) => {
    if (!isOperatorReport(item))
      throw new ReportError(file, `items.${i} is not a VulnerabilityReport of trivy-operator`);
    return toOperatorScanReport(item, file);
  });
}

/** parseScanReports reads the text of what readScanReports reads. Throws ReportError. */
export function parseScanReports(text: string, file: string): readonly ScanReport[] {
  return readScanReports(parseJson(text, file), file);
}

function readOne(value: unknown, file: string): ScanReport {
  if (isOperatorReport(value)) return toOperatorScanReport(value, file);
  if (!isOfKnownKind(value))
    throw new ReportError(file, 'not a report of Trivy, Grype or trivy-operator', KINDS);
  return toScanReport(value, file);
}

/** The items of a list of Kubernetes objects, or null for anything else. */
function itemsOf(value: unknown): readonly unknown[] | null {
  if (value === null || typeof value !== 'object' || !('kind' in value) || !('items' in value)) return null;
  const { kind, items } = value;
  return (kind === 'List' || kind === 'VulnerabilityReportList') && Array.isArray(items)
    ? (items as unknown[])
    : null;
}
