import * as z from 'zod/mini';
import { formatTime, parseTime } from '../../base/index.ts';
import { type DatabaseState, ScannerError } from '../../scan/index.ts';
import { ReportError } from './report-error.ts';

/** TrivyVersion is what Trivy says of itself and of its database. */
export type TrivyVersion = DatabaseState;

const database = z.nullish(z.object({ UpdatedAt: z.nullish(z.string()) }));
const version = z.object({ Version: z.nullish(z.string()), VulnerabilityDB: database });
const reported = z.object({
  Trivy: z.nullish(
    z.object({ VulnerabilityDB: database, Server: z.nullish(z.object({ VulnerabilityDB: database })) }),
  ),
});

/** readVersion reads what `trivy version --format json` writes, and what a server answers at /version. Throws ScannerError. */
export function readVersion(text: string): TrivyVersion {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ScannerError('scanner', 'trivy does not say which version it has', { cause: error });
  }
  const read = version.safeParse(value);
  if (!read.success) throw new ScannerError('scanner', 'trivy does not say which version it has');
  return { version: read.data.Version ?? '', updatedAt: timeOf(read.data.VulnerabilityDB?.UpdatedAt) };
}

/**
 * parseTrivyDatabase reads a file of what `trivy version --format json` wrote beside a report, and gives when the database was made
 * (RFC 3339). Throws ReportError.
 */
export function parseTrivyDatabase(text: string, file: string): string {
  const again = 'Make it where the image is scanned: `trivy version --format json > trivy-version.json`';
  let made: number | null = null;
  try {
    made = readVersion(text).updatedAt;
  } catch (error) {
    throw new ReportError(file, 'this is not what `trivy version --format json` writes', again, error);
  }
  if (made === null)
    throw new ReportError(file, 'it does not say when the vulnerability database was made', again);
  return formatTime(made);
}

/** reportedDatabase tells when the database was made, where a report says so (since 0.69 that of a server); else null. */
export function reportedDatabase(report: unknown): number | null {
  const read = reported.safeParse(report);
  if (!read.success) return null;
  const { VulnerabilityDB: own, Server: server } = read.data.Trivy ?? {};
  return timeOf(server?.VulnerabilityDB?.UpdatedAt) ?? timeOf(own?.UpdatedAt);
}

/** readMetadata reads `metadata.json`, which lies beside the database; null where it does not say when that was made. */
export function readMetadata(text: string): number | null {
  try {
    const read = z.object({ UpdatedAt: z.string() }).safeParse(JSON.parse(text));
    return read.success ? timeOf(read.data.UpdatedAt) : null;
  } catch {
    return null;
  }
}

/** Milliseconds; null for none, and for Go's zero time, which stands where there is no database. */
function timeOf(text: string | null | undefined): number | null {
  if (!text || text.startsWith('0001-01-01')) return null;
  const at = parseTime(text);
  return Number.isNaN(at) ? null : Math.floor(at);
}
