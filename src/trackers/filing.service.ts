import { setImmediate as nextTurn } from 'node:timers/promises';
import { receives, type TrackerChannel } from '../channels/index.ts';
import { inOrder, shareOut, type AlertCandidate, type Candidate } from './candidates.ts';
import { ChannelRun } from './channel-run.service.ts';
import { continueIssues } from './continue-issue.service.ts';
import { capWindow, fileClaim } from './file-claim.service.ts';
import type { CriticalCursor } from './filing-ports.ts';
import type { TrackerParts } from './parts.ts';
import { resumeChannels } from './resume.service.ts';
import { isStopped } from './tracker-error.ts';

/** Scans that are looked through in one transaction. */
const SCANS_AT_ONCE = 200;
const DEDUP = { reason: 'dedup' } as const;
const NOTHING: FilingReport = { opened: 0, waiting: 0 };

/** FilingReport is what one run of filing came to. */
export interface FilingReport {
  /** Issues, summaries counting one. */
  readonly opened: number;
  /** Findings that wait for room under the cap. */
  readonly waiting: number;
}

/**
 * Filing opens issues for critical findings. It reads the state of things, not events: a run does whatever is left to do, so that none is
 * lost by a crash or a failure. Run it only on the leader, often (each minute) and after an import of scans.
 */
export class Filing {
  readonly #parts: TrackerParts;
  #running: Promise<FilingReport> | null = null;

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  /** Runs once; a call while it runs is answered with that run. It ends early when another process leads. */
  run(signal: AbortSignal = new AbortController().signal): Promise<FilingReport> {
    this.#running ??= this.#whole(signal).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #whole(signal: AbortSignal): Promise<FilingReport> {
    const { leader, log } = this.#parts;
    if (!leader.isLeader()) return NOTHING;
    try {
      return await this.#run(new ChannelRun(this.#parts, leader.fence(), signal));
    } catch (error) {
      if (!isStopped(error)) throw error;
      log.info('filing stopped', { reason: error.message });
      return NOTHING;
    }
  }

  async #run(run: ChannelRun): Promise<FilingReport> {
    const { steady } = this.#parts;
    if ((await run.channels()).length === 0) return NOTHING;
    await steady.keep(run.fence);
    await resumeChannels(this.#parts, run, () => this.#candidates());
    const channels = await run.channels();
    const before = await this.#retry(run);
    const counted = await this.#countScans(run);
    // Before findings, a backlog of which may fill the cap for days: an alert is about what happens now.
    const alerts = await this.#fileAlerts(run, channels);
    const after = await this.#fileNew(run, channels, counted);
    await continueIssues(this.#parts, run);
    await run.end();
    return { opened: before + alerts + after.opened, waiting: after.waiting };
  }

  /** The row is retried, not released. */
  async #retry(run: ChannelRun): Promise<number> {
    const { filing, clock, breaker } = this.#parts;
    let opened = 0;
    for (const claim of await filing.pending(clock.now())) {
      if (run.over) break;
      const channel = await run.channel(claim.channelId);
      if (channel === null) continue;
      const tracker = await run.tracker(channel);
      if (typeof tracker === 'string') {
        const why = run.whyNot(channel);
        const told = claim.attempt !== null || claim.rows.every(({ lastError }) => lastError === why);
        if (why !== null && !told) await filing.noteError(claim.marker, why, run.fence);
        continue;
      }
      if ((await fileClaim(this.#parts, run, { claim, channel, tracker })) !== 'filed') continue;
      breaker.succeeded(newIssuesOf(channel));
      opened += 1;
    }
    run.nextPart();
    return opened;
  }

  /** A row for (digest, CVE) already exists: the finding counts as skipped with the reason `dedup`, and the cluster name is added. */
  async #countScans(run: ChannelRun): Promise<ReadonlySet<number>> {
    const { filing, count } = this.#parts;
    const scans = await filing.uncounted();
    for (let done = 0; done < scans.length; done += SCANS_AT_ONCE) {
      const some = scans.slice(done, done + SCANS_AT_ONCE);
      const repeated = await filing.noteScans(some, run.fence);
      if (repeated > 0) count.add('svc_issues_skipped_total', DEDUP, repeated);
      await nextTurn();
    }
    return new Set(scans);
  }

  async #fileNew(
    run: ChannelRun,
    all: readonly TrackerChannel[],
    counted: ReadonlySet<number>,
  ): Promise<FilingReport> {
    const { filing, steady, count } = this.#parts;
    const channels = all.filter((channel) => receives(channel, 'critical_finding'));
    // What another channel filed after the backup is known once it is resumed: until then its findings could be filed twice.
    if (channels.length === 0 || all.some(({ paused }) => paused)) return NOTHING;
    const candidates = await this.#candidates();
    if (candidates.length === 0) return NOTHING;
    const room = new Map<string, number>();
    for (const channel of channels) {
      const { cap, since } = capWindow(channel, steady.now());
      room.set(channel.id, cap - (await filing.opened(channel.id, since)));
    }
    const { shares, left } = shareOut(candidates, channels, room);
    const isNew = ({ scanId }: Candidate): boolean => counted.has(scanId);
    const capped = left.filter(isNew).length;
    if (capped > 0) count.add('svc_issues_skipped_total', { reason: 'cap' }, capped);
    let opened = 0;
    for (const share of shares) {
      if ((await run.tracker(share.channel)) === 'credential') {
        // "Findings are skipped with that reason": those that wait when it first does not open, then those of each newer scan.
        const skipped = share.channel.lastError === null ? share.candidates : share.candidates.filter(isNew);
        if (skipped.length > 0) count.add('svc_issues_skipped_total', { reason: 'error' }, skipped.length);
      }
      const groups = share.summary ? [share.candidates] : share.candidates.map((candidate) => [candidate]);
      for (const group of groups) {
        const filed = run.over
          ? 'stop'
          : await this.#fileOne(run, share.channel, { candidates: group, summary: share.summary });
        // What the channel cannot take now is not for another one: it waits.
        if (filed === 'stop') return { opened, waiting: left.length };
        if (filed === 'filed') opened += 1;
      }
      if (share.capped) await this.#warn(run, share.channel);
    }
    return { opened, waiting: left.length };
  }

  /** One issue for each image and rule: of several channels the first that is subscribed and under its cap. */
  async #fileAlerts(run: ChannelRun, all: readonly TrackerChannel[]): Promise<number> {
    const { filing, steady, clock } = this.#parts;
    const channels = all.filter((channel) => receives(channel, 'runtime_alert'));
    if (channels.length === 0 || all.some(({ paused }) => paused)) return 0;
    let left = await filing.alerts(clock.now());
    let opened = 0;
    for (const channel of channels) {
      if (left.length === 0) break;
      const { cap, since } = capWindow(channel, steady.now());
      const room = Math.max(0, cap - (await filing.opened(channel.id, since)));
      for (const alert of left.slice(0, room)) {
        const filed = run.over ? 'stop' : await this.#fileOne(run, channel, { candidates: [], alert });
        // What the channel cannot take now is not for another one: it waits.
        if (filed === 'stop') return opened;
        if (filed === 'filed') opened += 1;
      }
      left = left.slice(room);
      if (left.length > 0) await this.#warn(run, channel);
    }
    return opened;
  }

  async #candidates(): Promise<readonly Candidate[]> {
    const { filing, clock } = this.#parts;
    const candidates: Candidate[] = [];
    let next: CriticalCursor | null = null;
    do {
      const page = await filing.critical(next, clock.now());
      candidates.push(...page.candidates);
      ({ next } = page);
      await nextTurn(); // the process answers others between two pages
    } while (next !== null);
    // A scan that came in meanwhile is for the next run, or its findings would count as repeated then.
    const late = new Set(await filing.uncounted());
    return inOrder(candidates.filter(({ scanId }) => !late.has(scanId)));
  }

  async #fileOne(
    run: ChannelRun,
    channel: TrackerChannel,
    claimed: {
      readonly candidates: readonly Candidate[];
      readonly summary?: boolean;
      readonly alert?: AlertCandidate;
    },
  ): Promise<'filed' | 'next' | 'stop'> {
    const { filing, markers, clock, steady, breaker } = this.#parts;
    const tracker = await run.tracker(channel);
    if (typeof tracker === 'string' || !breaker.allows(newIssuesOf(channel), steady.now())) return 'stop';
    const tick = steady.now();
    const claim = await filing.claim(
      {
        channelId: channel.id,
        channelKind: channel.kind,
        summary: false,
        ...claimed,
        at: clock.now(),
        tick,
        cap: capWindow(channel, tick),
        marker: (rowId, generation) => markers.issue(channel.id, rowId, generation),
      },
      run.fence,
    );
    if (typeof claim === 'string') return 'next';
    const filed = await fileClaim(this.#parts, run, { claim, channel, tracker });
    if (filed === 'failed') breaker.failed(newIssuesOf(channel), steady.now());
    if (filed === 'filed') breaker.succeeded(newIssuesOf(channel));
    return filed === 'filed' ? 'filed' : 'next';
  }

  /** Logs one warning per day and channel. */
  async #warn(run: ChannelRun, channel: TrackerChannel): Promise<void> {
    const { filing, clock, log } = this.#parts;
    if (await filing.warnCap(channel.id, clock.now(), run.fence))
      log.warn('tracker channel is at its daily cap; findings wait', {
        channel: channel.name,
        daily_cap: channel.settings.dailyCap,
      });
  }
}

/** What the breaker knows the new issues of a channel by: where one after another is refused, fewer and fewer are tried. */
function newIssuesOf({ id }: TrackerChannel): string {
  return `${id} new`;
}
