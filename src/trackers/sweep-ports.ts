import type { Fence, Moment } from './filing-ports.ts';
import type { EndReason, IssueRef } from './issue.ts';
import type { ClusterSweeps, OpenFinding } from './judge.ts';
import type { IssueName, PlannedEnd } from './plan-sweep.ts';
import type { EndedFinding, TrackingRow } from './row.ts';

/** Successor is what the workloads of a retired digest run now. */
export interface Successor {
  readonly digest: string;
  /** CVEs that its newest completed scan reports; null when it was never scanned. */
  readonly cves: ReadonlySet<string> | null;
}

/** RunningImages tells which workload runs which digest since when, as far as it was seen. */
export interface RunningImages {
  clusters(): Promise<ClusterSweeps>;
  /** Of those digests, the ones whose workload runs another image in their place now. `cves` are those worth looking for. */
  successors(digests: readonly string[], cves: readonly string[]): Promise<ReadonlyMap<string, Successor>>;
}

/**
 * Closing is a comment on an issue that was begun: its rows with the reasons that the comment names. `step` is `comment` while it is
 * not known whether the comment was posted, `commented` once it was.
 */
export interface Closing extends Moment {
  readonly id: string;
  readonly step: 'comment' | 'commented';
  readonly name: IssueName;
  readonly issue: IssueRef;
  /** Channel that closes it. */
  readonly channelId: string;
  readonly ended: readonly EndedFinding[];
}

/** NewClosing begins a closing. */
export interface NewClosing extends Moment {
  readonly id: string;
  readonly name: IssueName;
  readonly ended: readonly EndedFinding[];
}

/**
 * Commented says what a posted comment came to: with findings left its rows are closed, else the issue has to be closed first, for the
 * reasons of all its findings; `nothing` when the closing is no more.
 */
export type Commented =
  | { readonly next: 'rows_closed' }
  | { readonly next: 'nothing' }
  | { readonly next: 'close_issue'; readonly reasons: readonly EndReason[] };

/** SweepStore keeps what the closing sweep does. Each method is one atomic act; what writes is refused under an old fence. */
export interface SweepStore {
  /** Brings the time of the last event up to date on open rows of runtime alerts. */
  noteEvents(fence: Fence): Promise<void>;
  /** Open rows after an id with what is known of their findings, in the order of their ids, a page at a time; empty at the end. */
  openAfter(id: number): Promise<readonly OpenFinding[]>;
  /** All open rows of an issue. */
  openOf(name: IssueName): Promise<readonly OpenFinding[]>;
  /** Closings that were begun and not ended, oldest first. */
  closings(): Promise<readonly Closing[]>;
  noteWithheld(
    withheld: readonly { readonly id: number; readonly sentence: string | null }[],
    fence: Fence,
  ): Promise<void>;
  /** Closed rows whose finding came back and that are not marked so, a part of them after an id; `next` is null at the end. */
  returnedAfter(
    id: number,
    at: number,
  ): Promise<{ readonly ids: readonly number[]; readonly next: number | null }>;
  /** Marks them (`returned_at`). */
  markReturned(ids: readonly number[], at: number, fence: Fence): Promise<void>;
  /** Closes rows for which no issue was ever opened. */
  closeUnfiled(ended: readonly PlannedEnd[], at: number, fence: Fence): Promise<void>;
  /** Notes a comment before its first byte is sent. False: a row changed meanwhile, or another closing of the issue is under way. */
  beginClosing(closing: NewClosing, fence: Fence): Promise<boolean>;
  /** Forgets a closing whose comment was certainly not posted. */
  dropClosing(id: string, error: string | null, fence: Fence): Promise<void>;
  /** Keeps a closing that is stuck, with what went wrong. */
  noteClosing(id: string, error: string, fence: Fence): Promise<void>;
  /** Notes that the comment was posted. */
  commented(id: string, at: number, fence: Fence): Promise<Commented>;
  /** Marks the rows of a closing closed, after the tracker confirmed that the issue is; false when the closing is no more. */
  finishClosing(
    id: string,
    outcome: { readonly at: number; readonly leftOpen: boolean },
    fence: Fence,
  ): Promise<boolean>;
  /** Closes rows whose issue was deleted in the tracker. */
  closeGone(ended: readonly EndedFinding[], at: number, error: string, fence: Fence): Promise<void>;
  /** Follows an issue that a person moved. */
  moveIssue(name: IssueName, issue: IssueRef, fence: Fence): Promise<void>;
  /** Notes an error on rows. */
  noteRows(rows: readonly TrackingRow[], error: string, fence: Fence): Promise<void>;
  /** Takes back the errors of rows, but for that of a comment which continues their issue and is still to be posted. */
  clearErrors(ids: readonly number[], fence: Fence): Promise<void>;
}
