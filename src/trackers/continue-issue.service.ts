import { receives, type TrackerChannel } from '../channels/index.ts';
import type { ChannelRun } from './channel-run.service.ts';
import type { PendingContinuation } from './continuation-ports.ts';
import type { IssueRef } from './issue.ts';
import type { TrackerParts } from './parts.ts';
import type { IssueTracker } from './ports.ts';
import { isStopped } from './tracker-error.ts';
import { COMMENT_WAIT, LOOK_BACK, retryAfter } from './waiting.ts';

/** A run posts no more comments after so long, since they come three seconds apart; the next goes on. */
const BUDGET = 45_000;

/**
 * continueIssues posts the comments that continue summaries, one after another, so that no crash at any place posts one twice or leaves
 * one out: what is to be posted was stored with the issue, each post is noted before its first byte, and where it is not known whether it
 * was posted, the comments of the issue are read first. Each issue gets one before any gets the next.
 */
export async function continueIssues(parts: TrackerParts, run: ChannelRun): Promise<void> {
  const { continuations, steady } = parts;
  const until = steady.now() + BUDGET;
  const seen = new Map<string, IssueRef | null>();
  const left = new Set<string>();
  for (;;) {
    const next = (await continuations.pending()).filter(({ marker }) => !left.has(marker));
    if (next.length === 0) return;
    for (const comment of next) {
      if (run.over || steady.now() > until) return;
      if ((await continueIssue(parts, run, comment, seen)) !== 'posted') left.add(comment.marker);
    }
  }
}

type Continued = 'posted' | 'waiting' | 'failed';

async function continueIssue(
  parts: TrackerParts,
  run: ChannelRun,
  comment: PendingContinuation,
  seen: Map<string, IssueRef | null>,
): Promise<Continued> {
  const { continuations, steady } = parts;
  const { marker, last } = comment;
  if (comment.ended) {
    await continuations.drop(marker, run.fence);
    return 'waiting';
  }
  const channel = await run.channel(comment.channelId);
  // A disabled channel files nothing.
  if (channel === null || !receives(channel, 'critical_finding')) return 'waiting';
  const wait = comment.unknown ? COMMENT_WAIT : retryAfter(comment.attempts);
  if (last !== null && steady.now() - last.tick < wait) return 'waiting';
  const tracker = await run.tracker(channel);
  if (typeof tracker === 'string') return 'waiting';
  const work = { parts, run, comment, channel, tracker };
  const issue = seen.get(marker) ?? (await look(work));
  seen.set(marker, issue);
  if (issue === null) return 'failed';
  if (comment.unknown && last !== null) {
    const there = await read(work, () => tracker.commentMarkers(issue, last.at - LOOK_BACK));
    if (there === null) return 'failed';
    if (there.includes(comment.id)) {
      await continuations.posted(comment.id, run.fence);
      return 'posted';
    }
    await continuations.clear(comment.id, null, run.fence);
  }
  return post(work, issue);
}

interface Work {
  readonly parts: TrackerParts;
  readonly run: ChannelRun;
  readonly comment: PendingContinuation;
  readonly channel: TrackerChannel;
  readonly tracker: IssueTracker;
}

/** The issue where it is now; null when it was deleted, or cannot be read. */
async function look(work: Work): Promise<IssueRef | null> {
  const { parts, run, comment, tracker } = work;
  const { marker, issue } = comment;
  const state = await read(work, () => tracker.read(issue));
  if (state === null) return null;
  if (state.gone === true) {
    // The sweep closes its rows.
    await parts.continuations.drop(marker, run.fence);
    return null;
  }
  if (state.movedTo === undefined) return issue;
  await parts.sweeps.moveIssue({ marker }, state.movedTo, run.fence);
  return state.movedTo;
}

async function read<T>({ parts, run, comment, channel }: Work, call: () => Promise<T>): Promise<T | null> {
  try {
    const answer = await call();
    run.worked(channel);
    return answer;
  } catch (thrown) {
    const { message } = await run.failed(channel, 'read', thrown);
    await parts.continuations.note(comment.id, message, run.fence);
    return null;
  }
}

async function post({ parts, run, comment, channel, tracker }: Work, issue: IssueRef): Promise<Continued> {
  const { continuations, clock, steady, log } = parts;
  const { id, body } = comment;
  const soon = run.soon();
  if (!(await continuations.begin(id, { at: clock.now(), tick: steady.now() }, run.fence))) return 'waiting';
  try {
    await soon(() => tracker.comment(issue, { body, marker: id }));
  } catch (thrown) {
    if (isStopped(thrown)) {
      await continuations.clear(id, null, run.fence);
      if (!run.over) return 'waiting'; // its turn came too late
    }
    const error = await run.failed(channel, 'write', thrown);
    if (error.happened === 'no') await continuations.clear(id, error.message, run.fence);
    else await continuations.note(id, error.message, run.fence);
    return 'failed';
  }
  run.worked(channel);
  await continuations.posted(id, run.fence);
  log.info('a summary was continued in a comment', { channel: channel.name, issue: issue.key });
  return 'posted';
}
