import type { TrackerChannel } from '../channels/index.ts';
import type { ChannelRun } from './channel-run.service.ts';
import type { IssueRef } from './issue.ts';
import { majorityReason } from './majority.ts';
import type { TrackerParts } from './parts.ts';
import type { IssueName } from './plan-sweep.ts';
import type { IssueState, IssueTracker } from './ports.ts';
import type { EndedFinding } from './row.ts';
import type { Closing } from './sweep-ports.ts';
import { isStopped, sentenceOf, type TrackerError } from './tracker-error.ts';
import { COMMENT_WAIT, LOOK_BACK } from './waiting.ts';

/** IssueWork is an issue that a sweep writes to, and by what. */
export interface IssueWork {
  readonly parts: TrackerParts;
  readonly run: ChannelRun;
  readonly channel: TrackerChannel;
  readonly tracker: IssueTracker;
  readonly name: IssueName;
  readonly issue: IssueRef;
  /** The findings that ended, each with its own reason; at least one. */
  readonly ended: readonly EndedFinding[];
}

/** Closed says what became of an issue: `commented` has findings left; `forgotten` was not commented after all, and is planned again. */
export type Closed = 'closed' | 'commented' | 'waiting' | 'failed' | 'forgotten';

/** What the tracker says of the issue now. */
interface Seen {
  readonly issue: IssueRef;
  readonly state: IssueState['state'];
}

/**
 * beginClose tells on an issue which of its findings ended, and closes it when none is left: "comment with the reason is posted, then the
 * issue is closed, and only after the tracker confirms is the row marked closed". Each of the three steps is stored before the next
 * begins, so that none is done twice, and an interrupted one is found again by `resumeClose`.
 */
export async function beginClose(work: IssueWork, remaining: number): Promise<Closed> {
  const { parts, run, channel, tracker, name, ended } = work;
  const { sweeps, writer, clock, steady, markers, log } = parts;
  const rows = ended.map(({ row }) => row);
  const note = (error: string): Promise<void> => sweeps.noteRows(rows, error, run.fence);
  const seen = await look(work, note);
  if (typeof seen === 'string') return seen;
  const { issue, state } = seen;
  const leftOpen = remaining === 0 && !tracker.closes && state === 'open';
  let body;
  try {
    body = await writer.close(channel, { issue, ended, remaining, leftOpen });
  } catch (error) {
    log.error('the text of a comment could not be made', { channel: channel.name, issue: issue.key, error });
    await note(`the text of the comment could not be made: ${sentenceOf(error)}`);
    return 'failed';
  }
  // The name of a closing is the marker of its comment, so that it is recognised whatever key is in use by then.
  const id = markers.comment(parts.newId());
  const soon = run.soon();
  const closing = { id, name, ended, at: clock.now(), tick: steady.now() };
  if (!(await sweeps.beginClosing(closing, run.fence))) return 'waiting';
  try {
    await soon(() => tracker.comment(issue, { body, marker: id }));
  } catch (thrown) {
    if (isStopped(thrown)) {
      await sweeps.dropClosing(id, null, run.fence);
      if (!run.over) return 'waiting'; // its turn came too late
    }
    const error = await run.failed(channel, 'write', thrown);
    if (error.happened === 'no') await sweeps.dropClosing(id, error.message, run.fence);
    else await sweeps.noteClosing(id, error.message, run.fence);
    return 'failed';
  }
  run.worked(channel);
  return afterComment(work, id, seen);
}

/** resumeClose goes on with a closing that a fault or a crash interrupted. */
export async function resumeClose(work: IssueWork, closing: Closing): Promise<Closed> {
  const { parts, run, channel, tracker } = work;
  const { sweeps, steady } = parts;
  const { id, step, at, tick } = closing;
  const note = (error: string): Promise<void> => sweeps.noteClosing(id, error, run.fence);
  if (step === 'comment' && steady.now() - tick < COMMENT_WAIT) return 'waiting';
  const seen = await look(work, note);
  if (typeof seen === 'string') return seen;
  if (step === 'comment') {
    const there = await attempt(work, note, 'read', () => tracker.commentMarkers(seen.issue, at - LOOK_BACK));
    if (there === null) return 'failed';
    if (!there.includes(id)) {
      await sweeps.dropClosing(id, null, run.fence);
      return 'forgotten';
    }
    run.worked(channel);
  }
  return afterComment(work, id, seen);
}

/** Reads the issue, and follows it where a person moved it. One that was deleted has nothing left to be closed. */
async function look(work: IssueWork, note: (error: string) => Promise<void>): Promise<Seen | Closed> {
  const { parts, run, channel, tracker, name, issue, ended } = work;
  const { sweeps, clock, log } = parts;
  const read = await attempt(work, note, 'read', () => tracker.read(issue));
  if (read === null) return 'failed';
  run.worked(channel);
  if (read.gone === true) {
    log.info('an issue was deleted in the tracker', { channel: channel.name, issue: issue.key });
    const error = 'the issue was deleted in the tracker; nothing was written to it';
    await sweeps.closeGone(ended, clock.now(), error, run.fence);
    return 'closed';
  }
  if (read.movedTo === undefined) return { issue, state: read.state };
  log.info('an issue was moved in the tracker', {
    channel: channel.name,
    from: issue.key,
    to: read.movedTo.key,
  });
  await sweeps.moveIssue(name, read.movedTo, run.fence);
  return { issue: read.movedTo, state: read.state };
}

async function attempt<T>(
  { run, channel }: IssueWork,
  note: (error: string) => Promise<void>,
  kind: 'read' | 'write',
  call: () => Promise<T>,
): Promise<T | null> {
  try {
    return await call();
  } catch (thrown) {
    const error: TrackerError = await run.failed(channel, kind, thrown);
    await note(error.message);
    return null;
  }
}

async function afterComment(work: IssueWork, id: string, { issue, state }: Seen): Promise<Closed> {
  const { parts, run, channel, tracker } = work;
  const { sweeps, clock, log, count } = parts;
  const commented = await sweeps.commented(id, clock.now(), run.fence);
  if (commented.next === 'nothing') return 'waiting';
  if (commented.next === 'rows_closed') {
    log.info('findings of an issue ended', { channel: channel.name, issue: issue.key });
    return 'commented';
  }
  const reason = majorityReason(commented.reasons);
  let leftOpen = false;
  // A person may have closed it already.
  if (state === 'open') {
    const note = (error: string): Promise<void> => sweeps.noteClosing(id, error, run.fence);
    const outcome = await attempt(work, note, 'write', () => tracker.close(issue, reason));
    if (outcome === null) return 'failed';
    run.worked(channel);
    leftOpen = outcome === 'left_open';
  }
  if (!(await sweeps.finishClosing(id, { at: clock.now(), leftOpen }, run.fence))) return 'waiting';
  // Of an issue that stays open nothing is counted.
  if (!leftOpen) count.add('svc_issues_closed_total', { provider: channel.kind, reason });
  log.info('issue closed', { channel: channel.name, issue: issue.key, reason, left_open: leftOpen });
  return 'closed';
}
