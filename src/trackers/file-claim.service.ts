import { DAY_MS } from '../base/index.ts';
import { awayBy, isAwayForGood } from './away.ts';
import { receives, trackerOf, type TrackerChannel } from '../channels/index.ts';
import type { ChannelRun } from './channel-run.service.ts';
import type { Away, CapWindow, PendingClaim } from './filing-ports.ts';
import type { IssueRef } from './issue.ts';
import { lookOnce, lookUp, notKnown, type LookUp } from './look-up.service.ts';
import type { TrackerParts } from './parts.ts';
import type { IssuePlan } from './ports.ts';
import { isStopped, sentenceOf } from './tracker-error.ts';
import { isLookedUp, retryAfter } from './waiting.ts';

/** capWindow is how many issues a channel may open in the 24 hours before a steady time. */
export function capWindow({ settings }: TrackerChannel, tick: number): CapWindow {
  return { cap: settings.dailyCap, since: tick - DAY_MS };
}

/** What the channel must be subscribed to so that it opens the issue of a claim. */
function eventOf({ rows }: PendingClaim): 'critical_finding' | 'runtime_alert' {
  return rows[0]?.kind === 'runtime' ? 'runtime_alert' : 'critical_finding';
}

/** Filed says what became of a claim: `waiting` has a reason of its own, `capped` waits for room under the cap. */
export type Filed = 'filed' | 'waiting' | 'capped' | 'failed';

/**
 * fileClaim opens the issue of a claim, at most one step further than it was, so that no crash at any place opens a second one: the
 * create is noted durably before its first byte; what is known not to have happened is tried again later; where that is not known the
 * tracker is asked first, again and again, and what is found is ours only when our own account wrote it.
 */
export async function fileClaim(parts: TrackerParts, run: ChannelRun, work: LookUp): Promise<Filed> {
  const { filing, steady } = parts;
  const { claim, channel } = work;
  const { marker, attempt } = claim;
  // A disabled channel files nothing; and what has ended is the sweep's.
  const mayOpen = receives(channel, eventOf(claim)) && claim.wanted;
  if (attempt !== null && isLookedUp(channel.kind, attempt) && !mayOpen) {
    if (!claim.wanted) await filing.clearAttempt(marker, attempt.id, null, run.fence);
    return 'waiting';
  }
  if (attempt === null) {
    const since = claim.attemptTick === null ? Infinity : steady.now() - claim.attemptTick;
    if (!mayOpen || since < retryAfter(claim.attempts)) return 'waiting';
  }
  if (attempt !== null || claim.unsure !== null) {
    const found = await (attempt === null ? lookOnce(parts, run, work) : lookUp(parts, run, work, attempt));
    if (found === 'waiting' || found === 'failed') return found;
    if (found !== 'absent')
      return record(parts, run, channel, marker, attempt?.id ?? null, found.issue, found);
    if (!mayOpen) return 'waiting';
  }
  return create(parts, run, work);
}

async function create(
  parts: TrackerParts,
  run: ChannelRun,
  { claim, channel, tracker }: LookUp,
): Promise<Filed> {
  const { marker, rows, summary } = claim;
  const { filing, continuations, writer, markers, clock, steady, count, log, newId } = parts;
  let plan: IssuePlan;
  try {
    plan = await writer.open(channel, rows, summary, claim.away);
  } catch (error) {
    // One finding that no text can be made of must not keep the others from being filed.
    log.error('the text of an issue could not be made', { channel: channel.name, marker, error });
    count.add('svc_issues_skipped_total', { reason: 'error' }, rows.length);
    await filing.noteError(
      marker,
      `the text of the issue could not be made: ${sentenceOf(error)}`,
      run.fence,
    );
    return 'failed';
  }
  const { target, by, more, labels, title, body } = plan;
  const comments = more.map((text) => ({ id: markers.comment(newId()), body: text }));
  // What an earlier create may have opened says what its comments continue, so the next says the same.
  const text = summary
    ? await continuations.plan(marker, formOf(channel, claim.away), { title, body, comments }, run.fence)
    : { title, body };
  const soon = run.soon();
  const attempt = { id: newId(), at: clock.now(), tick: steady.now(), target };
  const cap = { ...capWindow(channel, attempt.tick), channelId: channel.id };
  const begun = await filing.beginAttempt(marker, attempt, claim.attempt?.id ?? null, cap, run.fence);
  if (begun !== 'begun') return begun === 'cap' ? 'capped' : 'waiting';
  let issue: IssueRef;
  try {
    issue = await soon(() => tracker.create(target, { ...text, labels, marker }));
  } catch (thrown) {
    if (isStopped(thrown)) {
      await filing.clearAttempt(marker, attempt.id, null, run.fence);
      if (!run.over) return 'waiting'; // its turn came too late
    }
    const error = await run.failed(channel, 'write', thrown);
    count.add('svc_issues_skipped_total', { reason: 'error' }, rows.length);
    if (error.happened === 'no') {
      const away = by === 'label' ? awayBy(error, target) : null;
      await filing.clearAttempt(marker, attempt.id, error.message, run.fence, away);
    } else {
      const made = { tick: attempt.tick, misses: 0, missedTick: null };
      await filing.noteError(marker, notKnown(parts, channel, error.message, made), run.fence);
    }
    return 'failed';
  }
  run.worked(channel);
  return record(parts, run, channel, marker, attempt.id, issue, { at: clock.now(), tick: steady.now() });
}

/** What the text of a summary is made for. Another tracker may hold less; a repository that is gone for good has opened nothing. */
function formOf(channel: TrackerChannel, away: Away | null): string {
  const form = trackerOf(channel.kind).textForm(channel.settings);
  return away !== null && isAwayForGood(away, away.target) ? `${form} without ${away.target}` : form;
}

async function record(
  { filing, count, log }: TrackerParts,
  run: ChannelRun,
  channel: TrackerChannel,
  marker: string,
  attemptId: string | null,
  issue: IssueRef,
  opened: { readonly at: number; readonly tick: number },
): Promise<Filed> {
  const { rows, notified } = await filing.recordIssue(marker, attemptId, issue, opened, run.fence);
  if (rows === 0) return 'waiting';
  // Counts issues, one per tracker write: a first-run summary of a hundred findings adds one.
  count.add('svc_issues_opened_total', { provider: channel.kind });
  if (notified > 0) count.add('svc_runtime_alerts_notified_total', {}, notified);
  log.info('issue opened', { channel: channel.name, issue: issue.key, findings: rows });
  return 'filed';
}
