import { formatTime } from '../base/index.ts';
import type { TrackerChannel } from '../channels/index.ts';
import type { AlertCandidate, Candidate } from './candidates.ts';
import type { ChannelRun } from './channel-run.service.ts';
import { alertIn, findingsIn, isSummary, type FiledIssue } from './filed.ts';
import type { PendingClaim } from './filing-ports.ts';
import type { TrackerParts } from './parts.ts';
import type { IssueTracker } from './ports.ts';
import { isStopped } from './tracker-error.ts';

/** Issues that were opened so long before the backup are looked at too: clocks differ, and the backup took a while. */
const BEFORE = 60 * 60_000;
const NO_CAP = { cap: Number.MAX_SAFE_INTEGER, since: 0 };

/**
 * resumeChannels lets paused channels go on that a person asked for: what was filed since the backup is looked up in the tracker first and
 * noted, so that nothing is filed twice. What fails is tried again with the next run. `candidates` gives the findings without a row.
 */
export async function resumeChannels(
  parts: TrackerParts,
  run: ChannelRun,
  candidates: () => Promise<readonly Candidate[]>,
): Promise<void> {
  const { filing, clock, log } = parts;
  for (const channel of await run.channels()) {
    const since = channel.paused?.since;
    if (since === undefined || channel.paused?.askedAt === null || run.over) continue;
    try {
      const { found, unknown } = await lookUpFiled(parts, run, channel, since, candidates);
      await filing.resumed(channel.id, run.fence);
      log.info('a channel goes on after a restore', { channel: channel.name, found, unknown });
    } catch (error) {
      if (isStopped(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      await filing.resumeFailed(channel.id, reason, clock.now(), run.fence);
      log.warn('a channel cannot go on yet after a restore', { channel: channel.name, reason });
    }
  }
  run.forgetChannels();
}

async function lookUpFiled(
  parts: TrackerParts,
  run: ChannelRun,
  channel: TrackerChannel,
  since: number,
  candidates: () => Promise<readonly Candidate[]>,
): Promise<{ readonly found: number; readonly unknown: number }> {
  const { filing, writer, clock } = parts;
  const tracker = await run.open(channel);
  if (typeof tracker === 'string') throw new Error(run.whyNot(channel) ?? 'the channel cannot be called');
  const pending = new Map<string, PendingClaim>();
  for (const claim of await filing.pending(clock.now())) pending.set(claim.marker, claim);
  const open = [...(await candidates())];
  const alerts = await filing.alerts(clock.now());
  const digests = [
    ...[...open, ...alerts].map(({ digest }) => digest),
    ...[...pending.values()].flatMap(({ rows }) => rows.map(({ digest }) => digest)),
  ];
  const issues: FiledIssue[] = [];
  for (const target of await writer.targets(channel, [...new Set(digests)]))
    issues.push(...(await tracker.filed(target, since - BEFORE)));
  let found = 0;
  let unknown = 0;
  for (const issue of issues.toSorted((a, b) => a.openedAt - b.openedAt)) {
    const claim = pending.get(issue.marker);
    if (claim !== undefined) {
      const opened = { at: issue.openedAt, tick: parts.steady.now() };
      const attemptId = claim.attempt?.id ?? null;
      found += (await filing.recordIssue(issue.marker, attemptId, issue.ref, opened, run.fence)).rows;
    } else if (!(await filing.knows(issue.marker))) {
      const noted = await noteFiled(parts, run, channel, tracker, issue, open, alerts);
      if (noted === 0) {
        unknown += 1;
        parts.log.warn(
          'an issue was opened after the backup, and no finding is known for it; close it by hand',
          {
            channel: channel.name,
            issue: issue.ref.key,
            opened: formatTime(issue.openedAt),
          },
        );
      }
      found += noted;
    }
  }
  return { found, unknown };
}

/** Makes the rows that the restored database lacks, and gives how many. */
async function noteFiled(
  { filing, steady }: TrackerParts,
  run: ChannelRun,
  channel: TrackerChannel,
  tracker: IssueTracker,
  issue: FiledIssue,
  open: Candidate[],
  alerts: readonly AlertCandidate[],
): Promise<number> {
  const summary = isSummary(issue);
  const texts = summary ? await tracker.commentTexts(issue.ref) : [];
  const alert = alertIn(issue.text, alerts);
  const named = alert === null ? findingsIn([issue.text, ...texts].join('\n'), open) : [];
  if (named.length === 0 && alert === null) return 0;
  const moment = { at: issue.openedAt, tick: steady.now() };
  const claim = await filing.claim(
    {
      channelId: channel.id,
      channelKind: channel.kind,
      candidates: named,
      ...(alert !== null && { alert }),
      summary,
      ...moment,
      cap: NO_CAP,
      filed: true,
      marker: () => issue.marker,
    },
    run.fence,
  );
  for (const candidate of named) open.splice(open.indexOf(candidate), 1);
  if (typeof claim === 'string') return 0;
  return (await filing.recordIssue(issue.marker, null, issue.ref, moment, run.fence)).rows;
}
