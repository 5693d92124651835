import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TrackerChannel } from '../channels/index.ts';
import { ChannelRun } from './channel-run.service.ts';
import { beginClose, resumeClose, type Closed } from './close-issue.service.ts';
import type { ClusterSweeps, OpenFinding } from './judge.ts';
import type { TrackerParts } from './parts.ts';
import { planSweep, type IssueName, type PlannedEnd, type PlannedIssue } from './plan-sweep.ts';
import { closingChannel, type EndedFinding, type TrackingRow } from './row.ts';
import type { Closing } from './sweep-ports.ts';
import { isStopped } from './tracker-error.ts';

/** SWEEP_EVERY is "closing sweep (every 10 minutes)", in milliseconds. */
export const SWEEP_EVERY = 10 * 60_000;
/** A sweep begins nothing new after so long, so that the next comes in time; it goes on where this one stopped. */
const BUDGET = 9 * 60_000;

/** SweepReport is what one sweep came to. */
export interface SweepReport {
  /** Open rows that were judged. */
  readonly rows: number;
  /** Issues that were closed, were told of findings that ended, could not be written to. */
  readonly closed: number;
  readonly commented: number;
  readonly failed: number;
}

/** One sweep under way. */
interface State {
  readonly run: ChannelRun;
  readonly at: number;
  readonly begun: number;
  readonly clusters: ClusterSweeps;
  /** Issues that were written to: "one comment per issue per sweep". */
  readonly touched: Set<string>;
  /** Channels that are gone, with their open rows. */
  readonly missing: Map<string, number>;
  readonly counts: { rows: number; closed: number; commented: number; failed: number };
  /** The row of the last issue that could not be written to. */
  lastFailed: number;
}

const DELETED = 'its channel was deleted; close the issue by hand, or let another channel adopt it';

const NOTHING: SweepReport = { rows: 0, closed: 0, commented: 0, failed: 0 };

/**
 * Sweep closes what has ended: it judges every open row by what is known now, and tells the tracker. Run it only on the leader, every ten
 * minutes. A disabled channel keeps closing; a deleted one cannot.
 */
export class Sweep {
  readonly #parts: TrackerParts;
  #running: Promise<SweepReport> | null = null;
  /** The row after which the next sweep begins. */
  #cursor = 0;
  /** In how many sweeps a closing failed that was begun and not ended; those that failed least are taken first. */
  #stuck = new Map<string, number>();

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  /** Sweeps once; a call while it runs is answered with that sweep. It ends early when another process leads. */
  run(signal: AbortSignal = new AbortController().signal): Promise<SweepReport> {
    this.#running ??= this.#whole(signal).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #whole(signal: AbortSignal): Promise<SweepReport> {
    const { leader, log } = this.#parts;
    if (!leader.isLeader()) return NOTHING;
    try {
      return await this.#sweep(new ChannelRun(this.#parts, leader.fence(), signal));
    } catch (error) {
      if (!isStopped(error)) throw error;
      log.info('the closing sweep stopped', { reason: error.message });
      return NOTHING;
    }
  }

  async #sweep(run: ChannelRun): Promise<SweepReport> {
    const { running, clock, steady, log } = this.#parts;
    // A row without an issue may have one since the backup, so none is judged before every channel was looked through.
    if ((await run.channels()).some(({ paused }) => paused)) return NOTHING;
    await steady.keep(run.fence);
    const at = clock.now();
    await this.#parts.sweeps.noteEvents(run.fence);
    await this.#markReturned(run, at);
    const state: State = {
      run,
      at,
      begun: steady.now(),
      clusters: await running.clusters(),
      touched: new Set(),
      missing: new Map(),
      counts: { rows: 0, closed: 0, commented: 0, failed: 0 },
      lastFailed: 0,
    };
    await this.#resume(state);
    run.nextPart();
    await this.#walk(state);
    if (state.missing.size > 0)
      log.warn(
        'the closing sweep cannot resolve the channel of open rows; close their issues by hand, or adopt them',
        {
          channels: Object.fromEntries(state.missing),
        },
      );
    await run.end();
    return state.counts;
  }

  #over({ run, begun }: State): boolean {
    return run.over || this.#parts.steady.now() - begun > BUDGET;
  }

  async #markReturned(run: ChannelRun, at: number): Promise<void> {
    const { sweeps } = this.#parts;
    let from: number | null = 0;
    while (from !== null && !run.over) {
      const { ids, next }: Awaited<ReturnType<typeof sweeps.returnedAfter>> = await sweeps.returnedAfter(
        from,
        at,
      );
      if (ids.length > 0) await sweeps.markReturned(ids, at, run.fence);
      from = next;
      await nextTurn(); // the process answers others between two pages
    }
  }

  /** First what an earlier sweep began. */
  async #resume(state: State): Promise<void> {
    const closings = await this.#parts.sweeps.closings();
    const stuck = new Map(closings.map(({ id }) => [id, this.#stuck.get(id) ?? 0]));
    this.#stuck = stuck;
    const failures = ({ id }: Closing): number => stuck.get(id) ?? 0;
    for (const closing of closings.toSorted((a, b) => failures(a) - failures(b))) {
      if (this.#over(state)) return;
      const { name, issue, ended, channelId } = closing;
      if ((await state.run.channel(channelId)) === null) countMissing(state, channelId, ended.length);
      const rows = ended.map(({ row }) => row);
      const closed = await this.#write(state, channelId, rows, (channel, tracker) =>
        resumeClose({ parts: this.#parts, run: state.run, channel, tracker, name, issue, ended }, closing),
      );
      // What was forgotten has not been commented, so this sweep may.
      if (closed !== 'forgotten') state.touched.add(JSON.stringify(name));
      if (closed === 'failed') stuck.set(closing.id, failures(closing) + 1);
    }
  }

  /** Every open row once, from where the last sweep stopped to the end, then from the beginning. */
  async #walk(state: State): Promise<void> {
    const start = this.#cursor;
    let from = start;
    let wrapped = start === 0;
    for (;;) {
      const page = await this.#parts.sweeps.openAfter(from);
      const own = wrapped && start > 0 ? page.filter(({ row }) => row.id <= start) : page;
      await this.#sweepPage(state, own);
      const last = own.at(-1)?.row.id;
      if (this.#over(state)) {
        this.#cursor = last ?? 0;
        return;
      }
      if (last !== undefined && own.length === page.length) from = last;
      else if (wrapped) break;
      else [from, wrapped] = [0, true];
      await nextTurn();
    }
    // What was skipped comes first in the next sweep, behind what could not be written to.
    this.#cursor = state.run.leftAlone ? state.lastFailed : 0;
  }

  async #sweepPage(state: State, page: readonly OpenFinding[]): Promise<void> {
    const { sweeps } = this.#parts;
    const { run, at, clusters, counts } = state;
    counts.rows += page.length;
    await this.#countMissing(state, page);
    const plan = planSweep(page, clusters, at);
    if (plan.withheld.length > 0) await sweeps.noteWithheld(plan.withheld, run.fence);
    if (plan.settled.length > 0) await sweeps.clearErrors(plan.settled, run.fence);
    if (plan.unfiled.length > 0) await sweeps.closeUnfiled(plan.unfiled, at, run.fence);
    for (const { issue: name } of plan.issues) {
      if (this.#over(state)) return;
      const key = JSON.stringify(name);
      if (state.touched.has(key)) continue;
      state.touched.add(key);
      // The page may hold a part of its findings only.
      const [planned] = planSweep(await sweeps.openOf(name), clusters, at).issues;
      if (planned !== undefined) await this.#closeIssue(state, name, planned);
    }
  }

  async #closeIssue(state: State, name: IssueName, planned: PlannedIssue): Promise<void> {
    const [first] = planned.ended;
    if (first === undefined || first.row.issue === null) return;
    const { issue } = first.row;
    const rows = planned.ended.map(({ row }) => row);
    await this.#write(state, closingChannel(first.row), rows, async (channel, tracker) => {
      const ended = await this.#withSuccessors(planned.ended);
      const work = { parts: this.#parts, run: state.run, channel, tracker, name, issue, ended };
      const closed = await beginClose(work, planned.remaining);
      if (closed === 'failed') state.lastFailed = first.row.id;
      return closed;
    });
  }

  async #write(
    { run, counts }: State,
    channelId: string,
    rows: readonly TrackingRow[],
    act: (channel: TrackerChannel, tracker: Parameters<typeof beginClose>[0]['tracker']) => Promise<Closed>,
  ): Promise<Closed> {
    const channel = await run.channel(channelId);
    const tracker = channel === null ? 'faulty' : await run.tracker(channel);
    if (channel === null || typeof tracker === 'string') {
      // What keeps all issues of a channel from being closed stands on each row that should be.
      const why = channel === null ? DELETED : run.whyNot(channel);
      const untold = why === null ? [] : rows.filter(({ lastError }) => lastError !== why);
      if (why !== null && untold.length > 0) await this.#parts.sweeps.noteRows(untold, why, run.fence);
      return 'waiting';
    }
    const closed = await act(channel, tracker);
    if (closed === 'closed' || closed === 'commented' || closed === 'failed') counts[closed] += 1;
    return closed;
  }

  /** Beside the reason such a row records `superseded_by` and `successor_has_cve`. */
  async #withSuccessors(ended: readonly PlannedEnd[]): Promise<readonly EndedFinding[]> {
    const retired = ended.filter(({ reason }) => reason === 'image_retired').map(({ row }) => row);
    const found =
      retired.length === 0
        ? null
        : await this.#parts.running.successors(
            retired.map(({ digest }) => digest),
            retired.map(({ cve }) => cve),
          );
    return ended.map(({ row, reason }) => {
      const next = reason === 'image_retired' ? found?.get(row.digest) : undefined;
      const { kind, cve } = row;
      const cves = kind === 'finding' ? (next?.cves ?? null) : null;
      const successorHasCve = cves === null ? null : cves.has(cve);
      return { row, reason, supersededBy: next?.digest ?? null, successorHasCve };
    });
  }

  /** A deleted channel cannot close: its rows stay open, and the sweep logs once that it cannot resolve the channel. */
  async #countMissing(state: State, page: readonly OpenFinding[]): Promise<void> {
    const known = new Set((await state.run.channels()).map(({ id }) => id));
    for (const { row } of page) {
      const id = closingChannel(row);
      if (!known.has(id)) countMissing(state, id, 1);
    }
  }
}

function countMissing({ missing }: State, channelId: string, rows: number): void {
  missing.set(channelId, (missing.get(channelId) ?? 0) + rows);
}
