import type { Secret } from '../base/index.ts';
import type { ChannelTest, TrackerChannel } from '../channels/index.ts';
import type { FiledIssue } from './filed.ts';
import type { Away } from './filing-ports.ts';
import type { EndReason, IssueRef } from './issue.ts';
import type { EndedFinding, TrackingRow } from './row.ts';
import type { Block } from '../text/index.ts';

/** IssueDraft is an issue to be opened. `title` is plain text; `marker` is how it is recognised later. */
export interface IssueDraft {
  readonly title: string;
  readonly body: readonly Block[];
  readonly labels: readonly string[];
  readonly marker: string;
}

/** IssueState is how an issue stands now. */
export interface IssueState {
  readonly state: 'open' | 'closed';
  /** It was deleted: nothing can be written to it, and nothing is open. The tracker said so for certain (a bare 404 does not). */
  readonly gone?: boolean;
  /** Where it is now, when a person moved it to where this channel's credential reaches it. */
  readonly movedTo?: IssueRef;
}

/**
 * IssueTracker is one channel's tracker with one credential, for one run. Every method throws TrackerError for what the provider or
 * the network does wrong. A method that writes sends exactly one request, without a redirect or a retry.
 */
export interface IssueTracker {
  /** Whether `close` can close: false for Jira without `doneTransitionId`. */
  readonly closes: boolean;
  /** The own account; asked once per run. */
  self(): Promise<{ readonly id: string }>;
  /** Opens an issue by one POST; `target` as IssueTargets gives it. */
  create(target: string, draft: IssueDraft): Promise<IssueRef>;
  /**
   * The issue with this marker in the target that our own account wrote, whatever its state; null for none. An issue of another
   * account is none, whatever marker it shows. `since` is in milliseconds by our clock; issues opened before it may be left out.
   */
  find(target: string, marker: string, since: number): Promise<IssueRef | null>;
  /** The issues with a marker that our own account opened in the target since then, whatever their state; older ones may be given too. */
  filed(target: string, since: number): Promise<readonly FiledIssue[]>;
  /** What the comments say that our own account wrote on the issue. */
  commentTexts(ref: IssueRef): Promise<readonly string[]>;
  read(ref: IssueRef): Promise<IssueState>;
  /** Markers in the comments that our own account wrote on the issue since then (older ones may be given too). */
  commentMarkers(ref: IssueRef, since: number): Promise<readonly string[]>;
  comment(
    ref: IssueRef,
    comment: { readonly body: readonly Block[]; readonly marker: string },
  ): Promise<void>;
  /** Closes an open issue by one write, with the provider's own word for the reason; `left_open` where `closes` is false (no call). */
  close(ref: IssueRef, reason: EndReason): Promise<'closed' | 'left_open'>;
  /** Exactly one read that writes nothing: a GET of the repository or project. Gives what is wrong instead of throwing it. */
  test(): Promise<ChannelTest>;
}

/** WriteGuard is asked by the sender of a write, right before its first byte: false means that nothing may be sent any more. */
export type WriteGuard = () => boolean;

/** TrackerFactory opens trackers. A write that the guard refuses throws TrackerError `stopped`, `happened: 'no'`. */
export interface TrackerFactory {
  open(channel: TrackerChannel, credential: Secret, guard: WriteGuard): IssueTracker;
}

/** TrackerClock gives the present (as Clock) and a time that no one sets: milliseconds since any beginning of this process. */
export interface TrackerClock {
  now(): number;
  monotonic(): number;
}

/** IssuePlan is an issue as it is to be opened, and where: `target` is `owner/name`, a project's path or number, or a project's key. */
export interface IssuePlan extends Omit<IssueDraft, 'marker'> {
  readonly target: string;
  /** What chose the target: the label of an image, or the channel. */
  readonly by: 'label' | 'default';
  /** What the tracker takes no more of in the issue itself: comments that continue it, in their order. */
  readonly more: readonly (readonly Block[])[];
}

/** ClosingPlan is what a closing comment tells. */
export interface ClosingPlan {
  readonly issue: IssueRef;
  /** The findings that ended, each with its own reason; at least one. */
  readonly ended: readonly EndedFinding[];
  /** Findings of the issue that have not ended; with none left the issue is closed. */
  readonly remaining: number;
  /** None is left, and the issue stays open all the same, since the channel cannot close it; the comment says so. */
  readonly leftOpen: boolean;
}

/** IssueWriter makes the texts of issues, with what is known of their findings, and routes them. */
export interface IssueWriter {
  /**
   * The issue of one finding, or of all findings of a first run (`summary`). Rows of one claim, oldest first; at least one. Where `away`
   * says that the repository of their label is gone for good, the issue goes to the channel's own, and says why.
   */
  open(
    channel: TrackerChannel,
    rows: readonly TrackingRow[],
    summary: boolean,
    away: Away | null,
  ): Promise<IssuePlan>;
  /** Where issues of these images go, and the channel's own place. */
  targets(channel: TrackerChannel, digests: readonly string[]): Promise<readonly string[]>;
  /** The one comment that a sweep writes on an issue. */
  close(channel: TrackerChannel, plan: ClosingPlan): Promise<readonly Block[]>;
}
