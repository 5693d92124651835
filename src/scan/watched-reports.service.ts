import { isIpoError, parseTime, type Clock, type Digest, type Log } from '../base/index.ts';
import { planImport } from './plan-import.ts';
import type { ScanStore } from './ports.ts';
import type { ScanReport } from './scan-report.ts';

/** WatchedContainer is the container that a report was made for, as its labels name it. */
export interface WatchedContainer {
  readonly namespace: string;
  /** Kind and name of what controls its pods, or of the pod itself. */
  readonly kind: string;
  readonly name: string;
  readonly container: string;
}

/** WatchedReport is a new or updated report of a scanner in the cluster. */
export interface WatchedReport {
  /** `namespace/name`. */
  readonly key: string;
  readonly report: ScanReport;
  readonly container: WatchedContainer | null;
}

/** ReportFeed gives the reports of a cluster as they change. */
export interface ReportFeed {
  /**
   * Reads some that came or changed since they were read last; none when there are none. A report that cannot be read is told to the log
   * and not given again until it changes. Throws when the cluster cannot be asked.
   */
  next(limit: number, signal: AbortSignal): Promise<readonly WatchedReport[]>;
  /** Puts reports back that were not recorded. */
  again(keys: readonly string[]): void;
}

/** WatchedReportsDeps are what reports of a cluster are recorded with. */
export interface WatchedReportsDeps {
  readonly feed: ReportFeed;
  readonly scans: ScanStore;
  /** Milliseconds of the scan that is in use for a digest, or null for none or where that did not say. */
  readonly scannedAt: (digest: Digest) => Promise<number | null>;
  /**
   * The digests that a container runs now under the name of the report's image, in pods that were there when it was made. Asked where the
   * report itself names none.
   */
  readonly running: (container: WatchedContainer, report: ScanReport) => Promise<ReadonlySet<Digest>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** WatchedCounts tell what became of reports. */
export interface WatchedCounts {
  readonly recorded: number;
  /** The scan in use is as new. */
  readonly known: number;
  /** Nobody can say which digest they are about. */
  readonly unnamed: number;
  /** They cannot be true, or be recorded. */
  readonly refused: number;
}

/** Reports that are read before the first of them is recorded; each may have megabytes. */
const AT_ONCE = 20;

/**
 * takeReports records what scanners in the cluster reported since it was called last. A report counts for the digest that it names, else
 * for the one that its container runs now, if that is only one: a clean report must not come to stand for another image. One that is no
 * newer than the scan in use is left out. What the store throws is thrown, and the reports are given again.
 */
export async function takeReports(deps: WatchedReportsDeps, signal: AbortSignal): Promise<WatchedCounts> {
  const counts = { recorded: 0, known: 0, unnamed: 0, refused: 0 };
  while (!signal.aborted) {
    const reports = await deps.feed.next(AT_ONCE, signal);
    if (reports.length === 0) break;
    for (const [i, one] of reports.entries()) {
      try {
        counts[await take(deps, one)] += 1;
      } catch (error) {
        deps.feed.again(reports.slice(i).map(({ key }) => key));
        throw error;
      }
    }
  }
  return counts;
}

async function take(
  { scans, scannedAt, running, clock, log }: WatchedReportsDeps,
  { key, report, container }: WatchedReport,
): Promise<keyof WatchedCounts> {
  let digest: Digest | null = null;
  if (report.digests.length === 0) {
    const found = container === null ? new Set<Digest>() : await running(container, report);
    const [one] = found;
    if (one === undefined || found.size > 1) return 'unnamed';
    digest = one;
  }
  const at = clock.now();
  let planned: ReturnType<typeof planImport>;
  try {
    planned = planImport(report, { digest }, at);
  } catch (error) {
    if (!isIpoError(error)) throw error;
    log.warn('a report of the cluster is not recorded', { report: key, error: error.message });
    return 'refused';
  }
  let outcome: keyof WatchedCounts = 'known';
  for (const { digest: of, names } of planned) {
    const { scan, source, platform } = report;
    const kept = await scannedAt(of);
    const made = scan.scannedAt === null ? null : parseTime(scan.scannedAt);
    if (kept !== null && (made === null || made <= kept)) continue;
    await scans.record({ digest: of, names, source, scan, platform, at });
    outcome = 'recorded';
  }
  return outcome;
}
