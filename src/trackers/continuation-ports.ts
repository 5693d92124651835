import type { Fence, Moment } from './filing-ports.ts';
import type { IssueRef } from './issue.ts';
import type { Block } from '../text/index.ts';

/** NewContinuation is a comment that continues an issue yet to be opened; `id` is its marker. */
export interface NewContinuation {
  readonly id: string;
  readonly body: readonly Block[];
}

/** SummaryPlan is the text of a summary, with the comments that continue it, in their order: what one says the others go on with. */
export interface SummaryPlan {
  readonly title: string;
  readonly body: readonly Block[];
  readonly comments: readonly NewContinuation[];
}

/** PendingContinuation is the next comment of an issue that has to be posted. */
export interface PendingContinuation extends NewContinuation {
  /** The marker of the issue. */
  readonly marker: string;
  readonly issue: IssueRef;
  /** The channel that the issue is written through. */
  readonly channelId: string;
  /** No finding of the issue is open any more: nobody has to read the rest. */
  readonly ended: boolean;
  /** Posts that were tried, and when the last was. */
  readonly attempts: number;
  readonly last: Moment | null;
  /** The last of them may have been posted. */
  readonly unknown: boolean;
}

/** ContinuationStore keeps the comments that continue issues until they are posted. Each method is one atomic act. */
export interface ContinuationStore {
  /**
   * Keeps the plan of a summary before its create is noted, and gives the text to create it with. Once a create may have opened the issue,
   * its plan stays the one that was kept for it, whichever create turns out to have opened it; before that, a new plan takes the place of
   * the old. `form` names what the text was made for; a plan of another form is not gone on with.
   */
  plan(
    marker: string,
    form: string,
    plan: SummaryPlan,
    fence: Fence,
  ): Promise<Pick<SummaryPlan, 'title' | 'body'>>;
  /** The next comment of each issue that is known, those of the oldest issue first. */
  pending(): Promise<readonly PendingContinuation[]>;
  /** Notes a post before its first byte is sent; false when the comment is no more, or a post of it is under way. */
  begin(id: string, moment: Moment, fence: Fence): Promise<boolean>;
  /** Ends the comment: it stands in the tracker. */
  posted(id: string, fence: Fence): Promise<void>;
  /** Ends a post that wrote nothing; `error` is why, null where a look-up told or nothing was sent. */
  clear(id: string, error: string | null, fence: Fence): Promise<void>;
  /** Notes an error, and leaves everything else as it is. */
  note(id: string, error: string, fence: Fence): Promise<void>;
  /** Forgets all comments of an issue. */
  drop(marker: string, fence: Fence): Promise<void>;
}
