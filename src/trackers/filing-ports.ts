import type { TrackerKind } from '../channels/index.ts';
import type { AlertCandidate, Candidate } from './candidates.ts';
import type { IssueRef } from './issue.ts';
import type { TrackingRow } from './row.ts';

/**
 * Fence is the number of the leadership under which a write is made. Once a later leadership was given out, a store refuses the write:
 * it throws TrackerError `stopped`, and nothing is written.
 */
export type Fence = number;

/** StoredClock is how far the steady time had come, and what the wall clock said then. */
export interface StoredClock {
  readonly steady: number;
  readonly wall: number;
}

/** Moment is a time by the wall clock (`at`) and by the steady time (`tick`), in milliseconds. */
export interface Moment {
  readonly at: number;
  readonly tick: number;
}

/** CriticalCursor is the last finding of a page of the walk. */
export interface CriticalCursor {
  readonly scanId: number;
  readonly cve: string;
}

/** CriticalPage is a part of the walk over the critical findings of current scans; `next` is null at the end. */
export interface CriticalPage {
  readonly candidates: readonly Candidate[];
  readonly next: CriticalCursor | null;
}

/** PendingAttempt is a create that was begun and whose outcome is not known. */
export interface PendingAttempt extends Moment {
  readonly id: string;
  /** Where the issue was sent. */
  readonly target: string;
  /** Look-ups that found nothing, and the steady time of the last of them. */
  readonly misses: number;
  readonly missedTick: number | null;
}

/** UnsureCreate is the first create of a claim of which nobody ever learned what it did; `at` is UTC milliseconds. */
export interface UnsureCreate {
  readonly at: number;
  readonly target: string;
}

/** Away is a repository that a label names and that is not there: what it answered last, and how often. */
export interface Away {
  readonly target: string;
  /** `404` or `410`. */
  readonly answer: string;
  readonly times: number;
}

/** PendingClaim is a claim without an issue. */
export interface PendingClaim {
  readonly marker: string;
  /** The channel that files it. */
  readonly channelId: string;
  readonly summary: boolean;
  /** Its open rows, oldest first; at least one. */
  readonly rows: readonly TrackingRow[];
  /** Whether one of its findings is still critical, and not triaged; whether the rule of a runtime alert was heard within seven days. */
  readonly wanted: boolean;
  /** Creates that were tried, and the steady time of the last. */
  readonly attempts: number;
  readonly attemptTick: number | null;
  readonly attempt: PendingAttempt | null;
  /** Set once an issue was opened again: the first one may still come to light, and is looked for before each further create. */
  readonly unsure: UnsureCreate | null;
  readonly away: Away | null;
}

/** CapWindow is how many issues a channel may open after a steady time. */
export interface CapWindow {
  readonly cap: number;
  /** Steady time, 24 hours back. */
  readonly since: number;
}

/** Recorded is what an issue was noted on: how many rows have it now, and how many alerts count as notified that did not before. */
export interface Recorded {
  readonly rows: number;
  readonly notified: number;
}

/** NewClaim claims candidates for one issue of a channel. */
export interface NewClaim extends Moment {
  readonly channelId: string;
  readonly channelKind: TrackerKind;
  /** One, or all of a first run; none for a runtime alert. */
  readonly candidates: readonly Candidate[];
  /** The runtime alert that is claimed instead. */
  readonly alert?: AlertCandidate;
  readonly summary: boolean;
  readonly cap: CapWindow;
  /** The issue is there already: a channel that is disabled or paused takes it too. */
  readonly filed?: true;
  /** The marker of a row and its generation. */
  marker(rowId: number, generation: number): string;
}

/** ChannelNote is what using a channel left behind; what is absent stays as it is. */
export interface ChannelNote {
  readonly notBefore?: number | null;
  /** Null when a call went well. */
  readonly error: string | null;
}

/** FilingStore keeps claims and their issues. Each method is one atomic act. */
export interface FilingStore {
  clock(): Promise<StoredClock | null>;
  /** Keeps the later of the stored steady time and this one. */
  saveClock(clock: StoredClock, fence: Fence): Promise<void>;
  /** The scans in use whose findings were not counted yet, by number. Each scan says so itself: scans are not committed in the order of their numbers. */
  uncounted(): Promise<readonly number[]>;
  /** Walks the critical findings of current scans in the order of the scans. */
  critical(after: CriticalCursor | null, at: number): Promise<CriticalPage>;
  /** Runtime alerts of the last seven days for which nothing was filed, oldest first. */
  alerts(at: number): Promise<readonly AlertCandidate[]>;
  /**
   * Notes what scans report of findings that have a row already: adds the clusters, and remembers the scan as the one that found it. Gives
   * how many findings there were. The scans count as counted from then on.
   */
  noteScans(scans: readonly number[], fence: Fence): Promise<number>;
  /** Issues that a channel opened, or may have opened, after a steady time. */
  opened(channelId: string, since: number): Promise<number>;
  /**
   * Claims: rows and their place under the cap in one transaction, which is the channel's first run if it had none (an alert is none). Candidates that
   * are none any more are left out. `cap`: there is no room; `none`: the channel is gone or disabled, or no candidate was left.
   */
  claim(claim: NewClaim, fence: Fence): Promise<PendingClaim | 'cap' | 'none'>;
  /** Claims without an issue, oldest first. */
  pending(at: number): Promise<readonly PendingClaim[]>;
  /**
   * Notes a create before its first byte is sent, and counts it under the cap if it is not counted there any more. It takes the place of
   * the attempt `after`, whose outcome stays unsure. `gone`: another create of the claim is under way, or no row of it is left.
   */
  beginAttempt(
    marker: string,
    attempt: Omit<PendingAttempt, 'misses' | 'missedTick'>,
    after: string | null,
    cap: CapWindow & { readonly channelId: string },
    fence: Fence,
  ): Promise<'begun' | 'cap' | 'gone'>;
  /**
   * Ends an attempt (null: none is under way, and an earlier one was found out) with the issue that it opened; by `opened` at the latest.
   * The alerts that a runtime row was made for have the effect `issue` from then on.
   */
  recordIssue(
    marker: string,
    attemptId: string | null,
    issue: IssueRef,
    opened: Moment,
    fence: Fence,
  ): Promise<Recorded>;
  /**
   * Ends an attempt that opened nothing; `error` is why, null where a look-up told or nothing was sent. What was refused gives its place
   * under the cap back, which counts issues, and takes one again with the next attempt. `away` is the repository that was not there.
   */
  clearAttempt(
    marker: string,
    attemptId: string,
    error: string | null,
    fence: Fence,
    away?: Omit<Away, 'times'> | null,
  ): Promise<void>;
  /** Notes a look-up that found nothing, and what is waited for. */
  noteMiss(marker: string, attemptId: string, tick: number, error: string, fence: Fence): Promise<void>;
  /** Notes an error on the rows of a claim, and leaves everything else as it is. */
  noteError(marker: string, error: string, fence: Fence): Promise<void>;
  /** Notes what using a channel left behind. */
  noteChannel(channelId: string, note: ChannelNote, at: number, fence: Fence): Promise<void>;
  /** Whether a row has this marker. */
  knows(marker: string): Promise<boolean>;
  /** Ends the pause of a channel; and why it could not be ended. */
  resumed(channelId: string, fence: Fence): Promise<void>;
  resumeFailed(channelId: string, error: string, at: number, fence: Fence): Promise<void>;
  /** Whether to warn that a channel is at its cap, which it says once in 24 hours. */
  warnCap(channelId: string, at: number, fence: Fence): Promise<boolean>;
}
