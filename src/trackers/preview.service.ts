import { isTracker, receives, type ChannelStore, type TrackerChannel } from '../channels/index.ts';
import { filesSummary, inOrder, type Candidate } from './candidates.ts';
import { composeFor, describeAll, type ComposedIssue, type WriterDeps } from './compose.service.ts';
import { findingKey, type FindingName } from './compose-ports.ts';
import { capWindow } from './file-claim.service.ts';
import type { CriticalCursor, FilingStore } from './filing-ports.ts';
import type { TrackerClock } from './ports.ts';
import { planDrain, type DrainPlan } from './preview.ts';

/** IssuePreview is the issue that a channel would open next. */
export interface IssuePreview extends ComposedIssue {
  readonly summary: boolean;
  /** Findings that it lists. */
  readonly findings: number;
}

/** ChannelPlan is what a channel would file of what waits now. */
export interface ChannelPlan extends DrainPlan {
  /** Critical findings that nothing was filed for, over all channels. */
  readonly candidates: number;
  /** Runtime alerts that nothing was filed for, over all channels; they are filed before findings. */
  readonly alerts: number;
  /** Issues that this channel would open for them in its next run. */
  readonly alertIssues: number;
  readonly firstRun: boolean;
  /** Issues that it opened within 24 hours, of the number that it may open. */
  readonly opened: number;
  readonly cap: number;
  /** False for a channel that is disabled or not subscribed: the plan is what it would do if it filed. */
  readonly files: boolean;
}

/** Previews tell what channels would do, and do nothing: no row is claimed, and no tracker is called. */
export interface Previews {
  /**
   * The issue of a finding, or, with null, the one that the channel would open next; null when nothing waits, `unknown` when the newest
   * scan of the image has no such finding, `not_tracker` for a channel that opens no issues, `missing` for none.
   */
  issue(
    channelId: string,
    finding: FindingName | null,
  ): Promise<IssuePreview | null | 'unknown' | 'not_tracker' | 'missing'>;
  plan(channelId: string): Promise<ChannelPlan | 'not_tracker' | 'missing'>;
}

/** PreviewDeps are what previews are made from. */
export interface PreviewDeps extends WriterDeps {
  readonly channels: Pick<ChannelStore, 'get' | 'list'>;
  readonly filing: Pick<FilingStore, 'critical' | 'alerts' | 'opened' | 'clock'>;
  readonly clock: Pick<TrackerClock, 'now'>;
}

/** openPreviews joins them. */
export function openPreviews(deps: PreviewDeps): Previews {
  const { channels, filing, facts, clock } = deps;
  const candidatesNow = async (): Promise<readonly Candidate[]> => {
    const all: Candidate[] = [];
    let next: CriticalCursor | null = null;
    do {
      const page = await filing.critical(next, clock.now());
      all.push(...page.candidates);
      ({ next } = page);
    } while (next !== null);
    return inOrder(all);
  };
  /** The steady time that caps are counted by, as the leader would go on from it. */
  const steadyNow = async (): Promise<number> => {
    const stored = await filing.clock();
    return stored === null ? clock.now() : stored.steady + Math.max(0, clock.now() - stored.wall);
  };
  return {
    async issue(channelId, finding) {
      const channel = await channels.get(channelId);
      if (channel === null) return 'missing';
      if (!isTracker(channel)) return 'not_tracker';
      if (finding !== null && !(await facts.findings([finding])).has(findingKey(finding))) return 'unknown';
      const waiting = finding === null ? await candidatesNow() : [finding];
      const summary = finding === null && filesSummary(channel, waiting.length);
      const told = (summary ? waiting : waiting.slice(0, 1)).map(({ digest, cve }) => ({
        digest,
        cve,
        severity: 'CRITICAL',
        at: clock.now(),
      }));
      if (told.length === 0) return null;
      const issue = composeFor(channel, await describeAll(told, deps), summary, deps.rooms);
      return { ...issue, summary, findings: told.length };
    },
    async plan(channelId) {
      const channel = await channels.get(channelId);
      if (channel === null) return 'missing';
      if (!isTracker(channel)) return 'not_tracker';
      const { items } = await channels.list({ limit: null, offset: 0 });
      const all = items.filter(isTracker).toSorted((a, b) => a.place - b.place);
      const filesNow = (one: TrackerChannel): boolean =>
        one.id === channelId || receives(one, 'critical_finding');
      const room = new Map<string, number>();
      const tick = await steadyNow();
      for (const one of all) {
        const { cap, since } = capWindow(one, tick);
        room.set(one.id, cap - (await filing.opened(one.id, since)));
      }
      const alerts = (await filing.alerts(clock.now())).length;
      const alertIssues = takeAlerts(alerts, all, room, channelId);
      const candidates = (await candidatesNow()).length;
      const { dailyCap } = channel.settings;
      return {
        ...planDrain(candidates, all.filter(filesNow), room, channelId),
        candidates,
        alerts,
        alertIssues,
        firstRun: channel.firstRunAt === null,
        opened: dailyCap - (room.get(channelId) ?? dailyCap) - alertIssues,
        cap: dailyCap,
        files: receives(channel, 'critical_finding'),
      };
    },
  };
}

/** Takes the room of the channels that alerts are filed with, the first first; gives the issues that this channel opens for them. */
function takeAlerts(
  alerts: number,
  channels: readonly TrackerChannel[],
  room: Map<string, number>,
  id: string,
): number {
  let [left, own] = [alerts, 0];
  for (const channel of channels.filter((one) => receives(one, 'runtime_alert'))) {
    const free = room.get(channel.id) ?? 0;
    const taken = Math.min(left, Math.max(0, free));
    room.set(channel.id, free - taken);
    left -= taken;
    if (channel.id === id) own = taken;
  }
  return own;
}
