import { DAY_MS, formatTime } from '../base/index.ts';
import type { EndReason } from './issue.ts';
import type { TrackingRow } from './row.ts';

/** How far in the future a time may be that another machine's clock gave. */
const SKEW = 5 * 60_000;

/** ScanStamp is what tells scans apart when they are compared; what a scanner did not say is null. */
export interface ScanStamp {
  readonly scanner: string | null;
  readonly dbUpdatedAt: number | null;
}

/**
 * FoundStamp is that of the scan which found something. Where it does not say how old its database was, `recordedAt` bounds it: no scan asks
 * a database that is made after it was recorded.
 */
export interface FoundStamp extends ScanStamp {
  readonly recordedAt: number | null;
}

/** OpenFinding is an open row with what is known of its finding now. Times are UTC milliseconds. */
export interface OpenFinding {
  readonly row: TrackingRow;
  /** The newest completed scan of the digest, or null. */
  readonly scan: ScanStamp | null;
  /** Whether that scan reports the CVE, whatever its severity. */
  readonly reported: boolean;
  /** The scan that found it, as far as it was recorded. */
  readonly found: FoundStamp;
  /** When the last triage decision on it ends, or null for none. */
  readonly triagedUntil: number | null;
  /** When a pod was last seen running the digest, in any cluster that was not forgotten; null for never. */
  readonly lastSeenAt: number | null;
  /** When a person confirmed that it is fixed, or null. */
  readonly confirmedAt: number | null;
  /** Of a row of runtime alerts: when the detector was heard last, in the cluster where that is longest ago; null where it was not for days. */
  readonly heardAt: number | null;
}

/** ClusterSweeps is when each cluster was last swept whole (null for never), without those that were forgotten. */
export interface ClusterSweeps {
  readonly swept: ReadonlyMap<string, number | null>;
  readonly forgotten: ReadonlySet<string>;
}

/** Verdict says whether a finding ended, and why; or what is missing where it seems to have ended. */
export type Verdict =
  | { readonly ended: EndReason }
  | { readonly ended: null; readonly withheld: string | null };

/** judgeFinding judges one finding on its own. The first reason that holds, in the order of the three, is its reason. */
export function judgeFinding(finding: OpenFinding, clusters: ClusterSweeps, at: number): Verdict {
  if (finding.row.kind === 'runtime') return judgeAlert(finding, clusters, at);
  const fixed = judgeFixed(finding);
  if (fixed === true) return { ended: 'fixed' };
  if (finding.triagedUntil !== null && finding.triagedUntil > at) return { ended: 'triaged' };
  const retired = judgeRetired(finding, clusters, at);
  if (retired === true) return { ended: 'image_retired' };
  return { ended: null, withheld: fixed ?? retired };
}

/** QUIET_MS is after how long without an event of its rule from its image a row of runtime alerts ends. */
export const QUIET_MS = 7 * DAY_MS;
/** RETIRED_MS is how long no pod may have run an image, and how old the last whole sweep of a cluster may be, before its issue is closed. */
const RETIRED_MS = DAY_MS;

/** Judges a row of runtime alerts. No event says something only where the detector would have sent one. */
function judgeAlert(alert: OpenFinding, clusters: ClusterSweeps, at: number): Verdict {
  const { row, heardAt } = alert;
  const isQuiet = at - Math.max(row.claimedAt, row.lastEventAt ?? 0) >= QUIET_MS;
  if (isQuiet && heardAt !== null && at - heardAt <= DAY_MS) return { ended: 'quiet' };
  const retired = judgeRetired(alert, clusters, at);
  if (retired === true) return { ended: 'image_retired' };
  return { ended: null, withheld: isQuiet ? SILENT : retired };
}

const SILENT =
  'no event of the rule came from the image for 7 days, but the detector has sent nothing at all for 24 hours';

/** True when it ended so, a sentence on what is missing, or null when nothing speaks for it. */
type Judged = true | string | null;

function judgeFixed({ scan, reported, found, confirmedAt }: OpenFinding): Judged {
  if (scan === null || reported) return null;
  if (confirmedAt !== null) return true;
  const missing = missingProof(found, scan);
  if (missing === null) return true;
  return `the newest scan no longer reports it, but ${missing}; scan again, or confirm that it is fixed`;
}

/**
 * missingProof tells why a scan that does not report a finding does not prove that it is fixed; null when it is one: it was made by a
 * scanner of the same name, any version, with a database no older than the one that found it. What is not known proves nothing.
 */
export function missingProof(found: FoundStamp, scan: ScanStamp): string | null {
  if (found.scanner === null) return 'nothing says which scanner found it';
  if (scan.scanner !== found.scanner)
    return `it was found by ${found.scanner}, and that scan is by ${scan.scanner ?? 'an unnamed scanner'}`;
  if (scan.dbUpdatedAt === null) return 'that scan does not say how old its database is';
  if (found.dbUpdatedAt !== null)
    return scan.dbUpdatedAt < found.dbUpdatedAt ? 'its database is older than the one that found it' : null;
  if (found.recordedAt !== null && scan.dbUpdatedAt >= found.recordedAt) return null;
  const unknown = 'the scan that found it does not say how old its database was';
  return found.recordedAt === null
    ? unknown
    : `${unknown}: only one that was made since ${formatTime(found.recordedAt)} is known to be no older`;
}

/**
 * Judges `image_retired`: no pod was seen running the digest for 24 hours (`RETIRED_MS`), and each listed cluster had a whole
 * reconciliation sweep within that time, unless it was removed. Without such a sweep the issue stays open.
 */
function judgeRetired(
  { row, lastSeenAt }: OpenFinding,
  { swept, forgotten }: ClusterSweeps,
  at: number,
): Judged {
  const seen = Math.max(row.claimedAt, lastSeenAt ?? row.claimedAt);
  if (at - seen < RETIRED_MS) return null;
  const recent = (name: string): boolean => {
    const when = swept.get(name) ?? null;
    return when !== null && at - when <= RETIRED_MS && when <= at + SKEW;
  };
  const listed = row.clusters.filter((name) => !forgotten.has(name));
  const late = listed.filter((name) => !recent(name));
  const since = 'no pod was seen running the image for 24 hours, but';
  if (late.length > 0)
    return `${since} ${late.join(', ')} had no whole reconciliation sweep within that time`;
  if (listed.length > 0 || [...swept.keys()].some((name) => recent(name))) return true;
  // Where nothing ever told what runs, there is nothing to wait for either.
  const silent = lastSeenAt === null && row.clusters.length === 0;
  return silent ? null : `${since} no cluster had a whole reconciliation sweep within that time`;
}
