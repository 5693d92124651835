import type { ImportedScansBody } from '../../src/api/contract/scans.ts';
import {
  describeScans,
  openScanDatabase,
  readReportText,
  readTrivyDatabase,
  type DescribedScans,
  type ImportTarget,
} from '../../src/app/index.ts';
import { isIpoError, IpoError } from '../../src/base/index.ts';
import { counted } from '../../src/render/index.ts';
import { ANSWER_FORMATS, writeAnswer } from '../terminal/answer.ts';
import { checkStdin, findDatabase } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { scanViews, type ShownScan } from './view.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ScanImportOptions are the flags of `ipo scan import`. */
export interface ScanImportOptions extends ServiceFlags {
  readonly dryRun?: true;
  readonly image?: string;
  readonly digest?: string;
  readonly dbUpdatedAt?: string;
  readonly trivyVersion?: string;
  /** True when it is given without an address. */
  readonly database?: string | true;
  readonly output: readonly string[];
}

/** Report is a file that was read, with what it says. */
interface Report {
  readonly file: string;
  readonly text: string;
  readonly described: DescribedScans['scans'];
}

/**
 * runScanImport is `ipo scan import`. Every file is read and understood before the first is recorded, so that a faulty one among
 * many leaves nothing half done.
 */
export async function runScanImport(
  files: readonly string[],
  options: ScanImportOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table', files);
  checkStdin(files);
  const { image, digest } = options;
  if (files.length > 1 && (image ?? digest) !== undefined) {
    throw new UsageError('--image and --digest apply to one report', 'Import that report separately');
  }
  if (options.trivyVersion === '-' && files.includes('-'))
    throw new UsageError(
      'stdin can hold the report or --trivy-version, not both',
      'Give one of them as a file',
    );
  const databaseAt =
    options.trivyVersion === undefined
      ? options.dbUpdatedAt
      : await readTrivyDatabase(options.trivyVersion, openParts(terminal));
  const target: ImportTarget = { image, digest, databaseAt };
  const reports = await readReports(files, target, options, terminal);
  const scans: ShownScan[] =
    options.dryRun === true
      ? reports.flatMap(({ file, described }) => described.map((scan) => ({ ...scan, file })))
      : await record(reports, target, options, terminal);
  const body = { scans: scans.map(({ file: _file, ...scan }) => scan) };
  await writeAnswer(targets, { body, text: JSON.stringify(body) }, scanViews(scans), terminal, globals);
  const nameless = scans.filter((scan) => scan.digest === null);
  if (nameless.length > 0 && !globals.quiet) {
    terminal.err(
      `ipo: ${counted(nameless.length, 'report')} named no registry digest; to import one, name its image with --digest, or --image NAME@sha256:…\n`,
    );
  }
  const undated = scans.filter(({ db_updated_at, findings }) => db_updated_at === null && findings !== null);
  if (undated.length > 0 && !globals.quiet)
    terminal.err(
      `ipo: ${counted(undated.length, 'report does', 'reports do')} not state when the scanner’s database was made; from such a report the service closes no finding; add --trivy-version FILE, or --db-updated-at TIME\n`,
    );
  // A pipeline that brings a scan is to stop at one that says nothing.
  const isLess = options.dryRun !== true && scans.some(({ outcome }) => outcome === 'incomplete');
  return isLess ? EXIT.check : EXIT.done;
}

async function readReports(
  files: readonly string[],
  target: ImportTarget,
  { dryRun }: ScanImportOptions,
  terminal: Terminal,
): Promise<Report[]> {
  const parts = openParts(terminal);
  const reports: Report[] = [];
  for (const path of files) {
    const text = await readReportText(path, parts);
    const file = path === '-' ? 'stdin' : path;
    const { scans } = await describeScans(text, file, target, parts.clock, dryRun !== true);
    reports.push({ file, text, described: scans });
  }
  return reports;
}

type Send = (value: unknown, file: string, target: ImportTarget) => Promise<DescribedScans>;

async function record(
  reports: readonly Report[],
  target: ImportTarget,
  options: ScanImportOptions,
  terminal: Terminal,
): Promise<ShownScan[]> {
  if (options.database === undefined) {
    return withService(terminal, options, (service) =>
      sendAll(reports, target, async (body, _file, { image, digest, databaseAt }) => {
        const answer = await service.json<ImportedScansBody>('POST /scans', {
          query: {
            image: image ?? undefined,
            digest: digest ?? undefined,
            db_updated_at: databaseAt ?? undefined,
          },
          body,
        });
        return answer.body;
      }),
    );
  }
  const database = await openScanDatabase(
    findDatabase(options.database === true ? undefined : options.database, terminal.env),
    openParts(terminal).clock,
  );
  try {
    return await sendAll(reports, target, (value, file, of) => database.importScans(value, file, of));
  } finally {
    await database.close();
  }
}

async function sendAll(reports: readonly Report[], target: ImportTarget, send: Send): Promise<ShownScan[]> {
  const scans: ShownScan[] = [];
  for (const { file, text } of reports) {
    try {
      const sent = await send(JSON.parse(text), file, target);
      scans.push(...sent.scans.map((scan) => ({ ...scan, file })));
    } catch (error) {
      throw atFile(error, file, scans.length);
    }
  }
  return scans;
}

/** A service does not know the file, and what was recorded before it stays so. */
function atFile(error: unknown, file: string, before: number): unknown {
  if (!isIpoError(error)) return error;
  const done =
    before === 0 ? '' : `; ${counted(before, 'scan')} before it ${before === 1 ? 'is' : 'are'} recorded`;
  return new IpoError(error.code, `${error.message}${done}`, {
    place: { file },
    hint: error.hint,
    cause: error,
  });
}
