import { formatMinute } from '../base/index.ts';
import type { TrackerChannel } from '../channels/index.ts';
import type { ChannelRun } from './channel-run.service.ts';
import type { PendingAttempt, PendingClaim } from './filing-ports.ts';
import type { IssueRef } from './issue.ts';
import type { TrackerParts } from './parts.ts';
import type { IssueTracker } from './ports.ts';
import { isLookedUp, lastLookUp, LOOK_BACK, nextLookUp, WRITE_OVER, type LookedFor } from './waiting.ts';

/** LookUp is a claim of which a create may have opened an issue, and where it is looked for. */
export interface LookUp {
  readonly claim: PendingClaim;
  readonly channel: TrackerChannel;
  readonly tracker: IssueTracker;
}

/** Found is an issue that a create of unknown outcome had opened; by `tick` at the latest. */
export interface Found {
  readonly issue: IssueRef;
  readonly at: number;
  readonly tick: number;
}

const UNKNOWN = 'it is not known whether the issue was opened';

/**
 * lookUp looks for the issue of an attempt when it is time to. `absent`: every look-up found nothing, the last of them right now, so that
 * the issue may be opened again. What is waited for, and until when, stands on the rows.
 */
export async function lookUp(
  parts: TrackerParts,
  run: ChannelRun,
  work: LookUp,
  attempt: PendingAttempt,
): Promise<Found | 'absent' | 'waiting' | 'failed'> {
  const { filing, steady } = parts;
  const { claim, channel } = work;
  const { kind } = channel;
  const said = claim.rows[0]?.lastError ?? null;
  if (steady.now() < nextLookUp(kind, attempt)) {
    if (said === null || !said.includes(UNKNOWN)) {
      const why = said ?? 'the service did not hear what became of the call';
      await filing.noteError(claim.marker, notKnown(parts, channel, why, attempt), run.fence);
    }
    return 'waiting';
  }
  const found = await find(parts, run, work, attempt);
  if (found === 'failed' || found !== null) return found ?? 'failed';
  const missed = { tick: attempt.tick, misses: attempt.misses + 1, missedTick: steady.now() };
  const why = said === null ? UNKNOWN : (said.split(`; ${UNKNOWN}`)[0] ?? UNKNOWN);
  const error = notKnown(parts, channel, why, missed);
  await filing.noteMiss(claim.marker, attempt.id, missed.missedTick, error, run.fence);
  return isLookedUp(kind, missed) ? 'absent' : 'waiting';
}

/** lookOnce looks for what an earlier create may have opened, right before another one. */
export async function lookOnce(
  parts: TrackerParts,
  run: ChannelRun,
  work: LookUp,
): Promise<Found | 'absent' | 'failed'> {
  return (await find(parts, run, work, null)) ?? 'absent';
}

async function find(
  parts: TrackerParts,
  run: ChannelRun,
  { claim, channel, tracker }: LookUp,
  attempt: PendingAttempt | null,
): Promise<Found | 'failed' | null> {
  const { filing, steady, log } = parts;
  const { unsure, marker } = claim;
  const at = Math.min(...[unsure?.at, attempt?.at].filter((time) => time !== undefined));
  const targets = [attempt?.target, unsure?.target].filter((target) => target !== undefined);
  for (const target of new Set(targets)) {
    let issue: IssueRef | null;
    try {
      issue = await tracker.find(target, marker, at - LOOK_BACK);
    } catch (error) {
      const { message, fault } = await run.failed(channel, 'read', error);
      // Nothing is listed where nothing is; whether the repository is gone for good shows with the next create.
      if (fault === 'not_found' || fault === 'gone') continue;
      const shown = attempt === null ? message : notKnown(parts, channel, message, attempt);
      await filing.noteError(marker, shown, run.fence);
      return 'failed';
    }
    run.worked(channel);
    if (issue === null) continue;
    log.info('found the issue that a call of unknown outcome had opened', {
      channel: channel.name,
      issue: issue.key,
    });
    // It was opened while the call was under way.
    return { issue, at, tick: Math.min(steady.now(), (attempt?.tick ?? steady.now()) + WRITE_OVER) };
  }
  return null;
}

/** notKnown says what a row waits for after a create of unknown outcome, and until when. */
export function notKnown(
  { clock, steady }: TrackerParts,
  { kind }: TrackerChannel,
  why: string,
  made: LookedFor,
): string {
  const wall = (tick: number): string => formatMinute(clock.now() + tick - steady.now() + 59_999);
  const next = nextLookUp(kind, made);
  const soon = next <= steady.now() ? 'within the next minutes' : `at ${wall(next)}`;
  const last = lastLookUp(kind, made);
  const left = isLookedUp(kind, made)
    ? `${made.misses} look-ups found nothing, and it is opened again, after one more at ${wall(next)} if not before`
    : `it is looked for ${soon}${last > next ? `, for the last time at ${wall(last)}` : ', for the last time'}, and opened again if it is not found`;
  return `${why}; ${UNKNOWN}: ${left}`;
}
