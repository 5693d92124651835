import type { AuditLog, Principal } from '../../accounts/index.ts';
import type { Clock } from '../../base/index.ts';
import { importReports, type ReportReader, type ScanStore } from '../../scan/index.ts';
import { importedScansSchema, scanReportSchema, scansQuery } from '../contract/scans.ts';
import { toImportedScans } from '../scan-bodies.ts';
import { route, type Route } from '../route.ts';

/** ScanParts are what the routes of scans act through. */
export interface ScanParts {
  readonly scans: ScanStore;
  readonly readReport: ReportReader;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

/** MAX_REPORT_BODY bounds a report that is sent: 64 MiB. */
const MAX_REPORT_BODY = 64 * 1_048_576;

/** scanRoutes import what scanners found. A scan, the facts that follow and its audit entry are durable together. */
export function scanRoutes({ scans, readReport, audit, clock, together }: ScanParts): Route[] {
  return [
    route({
      key: 'POST /scans',
      id: 'importScan',
      tag: 'scans',
      summary: 'Import a report of Trivy',
      description:
        'A scan becomes the one that decisions use unless a later one is in use, or it found no packages to look at. A report without ' +
        'a registry digest needs `digest`, or `image` with one. A finding that it lacks is taken for fixed only where its database is known to be ' +
        'no older than the one that found it: Trivy leaves that out of reports that it makes without a server, so give `db_updated_at`.',
      query: scansQuery,
      body: scanReportSchema,
      maxBody: MAX_REPORT_BODY,
      answers: {
        200: { description: 'What became of the report, for each digest', schema: importedScansSchema },
      },
      work: 'import',
      handle: async ({ body, query, principal, path }) => {
        const { accountId, name } = principal as Principal;
        const { db_updated_at: databaseAt, ...of } = query;
        const imported = await importReports(
          readReport(body, 'body'),
          { ...of, databaseAt },
          {
            scans,
            clock,
            together,
            recorded: (scan) =>
              audit.record({
                actor: { accountId, name },
                action: 'scan_import',
                target: scan.digest,
                path,
                detail: { image: scan.image, outcome: scan.outcome, findings: scan.findings },
              }),
          },
        );
        return { body: toImportedScans(imported) };
      },
    }),
  ];
}
