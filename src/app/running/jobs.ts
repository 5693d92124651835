import {
  formatTime,
  isIpoError,
  Outage,
  type Clock,
  type Count,
  type Keys,
  type Log,
} from '../../base/index.ts';
import type { Timers } from '../../ledger/index.ts';
import { endsWithin } from './timers.ts';

/** Job is work that the service does by itself again and again. */
export interface Job {
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly every: number;
  /** Whether of several replicas only the leader may do it. */
  readonly leaderOnly: boolean;
  /** Whether it may run here now; a job that is due and may not runs as soon as it may. */
  mayRun?(): boolean;
  /** Milliseconds after which one that may not run is looked at again; 2 s at most unless given. */
  readonly again?: number;
  /** Whether its first run comes at once, instead of after its interval. */
  readonly atStart?: boolean;
  /**
   * Whether its interval counts from its last run, whichever replica made it and before whichever restart: a service that restarts
   * more often than the interval would otherwise never run it.
   */
  readonly remembered?: boolean;
  /** Whether it is done once more on shutdown. */
  readonly atEnd?: boolean;
  /** What the log says of a run that failed; for what is fetched from outside, where there may be no way out. */
  readonly failing?: JobFailing;
  run(signal: AbortSignal): Promise<void>;
}

/** JobFailing is how the log speaks of a job that fails. */
export interface JobFailing {
  /** What did not happen: `the catalogue was not fetched`. */
  readonly what: string;
  /** What works meanwhile, and what does not. */
  readonly meanwhile: string;
  /** Where it comes from, where the fault does not say. */
  readonly from?: string | undefined;
  /** When it is tried again, in UTC milliseconds, where that is not after the interval. */
  nextTryAt?(): number;
}

/** JobState is how a job stands. */
export interface JobState {
  readonly name: string;
  readonly lastSuccessAt: number | null;
  /** Sentence of the last fault; null when the last run ended well. */
  readonly fault: string | null;
}

/** JobsDeps are what jobs are run with. */
export interface JobsDeps {
  readonly log: Log;
  readonly count: Count;
  readonly clock: Clock;
  readonly timers: Timers;
  /** When remembered jobs last ended well, by UTC milliseconds. */
  readonly marks: {
    lastEnd(job: string): Promise<number | null>;
    ended(job: string, at: number): Promise<void>;
  };
  /** Whether this replica leads; a service outside a cluster leads itself. */
  isLeader(): boolean;
  /** Runs a leader's job so that every write it makes is refused once another replica leads. */
  underFence<T>(act: () => Promise<T>): Promise<T>;
}

/** A job that is due, and that another replica does, is looked at again after this many milliseconds: a new leader begins with it. */
const AGAIN = 2_000;
/** What hangs at the end is waited for no longer, so that what is to be done at the end is done. */
const HANGING = 5_000;
/** A remembered job that would be due in less than this many milliseconds is due. */
const SLACK = 30_000;

interface Entry {
  readonly job: Job;
  lastSuccessAt: number | null;
  fault: string | null;
  readonly outage: Outage;
  cancel: () => void;
  running: Promise<void> | null;
}

/** Jobs runs each job of a list by itself: never twice at a time, and never ended by a fault of one run. */
export class Jobs {
  readonly #deps: JobsDeps;
  readonly #entries: readonly Entry[];
  readonly #stop = new AbortController();

  constructor(jobs: readonly Job[], deps: JobsDeps) {
    this.#deps = deps;
    this.#entries = jobs.map((job) => ({
      job,
      lastSuccessAt: null,
      fault: null,
      outage: new Outage(),
      cancel: () => {},
      running: null,
    }));
  }

  /** Begins; the first run of each comes after its interval, or at once where it says so, or when its last run is long enough ago. */
  start(): void {
    for (const entry of this.#entries) {
      const { atStart, remembered, every } = entry.job;
      this.#plan(entry, atStart === true || remembered === true ? 0 : every);
    }
  }

  states(): readonly JobState[] {
    return this.#entries.map(({ job, lastSuccessAt, fault }) => ({ name: job.name, lastSuccessAt, fault }));
  }

  /** Ends: waits for what runs, 5 s at most, then does once more what is to be done at the end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const { cancel } of this.#entries) cancel();
    const runs = Promise.all(this.#entries.flatMap(({ running }) => running ?? []));
    await endsWithin(runs, HANGING, this.#deps.timers);
    for (const { job, running } of this.#entries)
      if (running !== null)
        this.#deps.log.warn('a job did not end; the service ends without it', { job: job.name });
    for (const entry of this.#entries)
      if (entry.job.atEnd === true && entry.running === null)
        await this.#run(entry, new AbortController().signal);
  }

  #plan(entry: Entry, after: number): void {
    if (this.#stop.signal.aborted) return;
    entry.cancel = this.#deps.timers.after(after, () => {
      if (!this.#mayRun(entry.job)) {
        this.#plan(entry, Math.min(entry.job.every, entry.job.again ?? AGAIN));
        return;
      }
      let next = entry.job.every;
      const turn = async (): Promise<void> => {
        const wait = await this.#wait(entry.job);
        if (wait > 0) next = wait;
        else await this.#run(entry, this.#stop.signal);
      };
      entry.running = turn().finally(() => {
        entry.running = null;
        this.#plan(entry, next);
      });
    });
  }

  /** Milliseconds until a remembered job is due; 0 when it is. A last run in the future is not a reason to wait: the clock was set back. */
  async #wait({ name, every, remembered }: Job): Promise<number> {
    if (remembered !== true) return 0;
    // Without the database the run itself says what is wrong.
    const last = await this.#deps.marks.lastEnd(name).catch(() => null);
    const since = last === null ? Infinity : this.#deps.clock.now() - last;
    // Timers are a moment early or late: half of one's interval is not a run too many.
    return since < 0 || since >= every - Math.min(every / 2, SLACK) ? 0 : every - since;
  }

  #mayRun(job: Job): boolean {
    return (!job.leaderOnly || this.#deps.isLeader()) && job.mayRun?.() !== false;
  }

  async #run(entry: Entry, signal: AbortSignal): Promise<void> {
    const { log, count, clock, marks, underFence } = this.#deps;
    const { job } = entry;
    if (!this.#mayRun(job)) return;
    try {
      const act = async (): Promise<void> => {
        await job.run(signal);
        if (job.remembered === true) await marks.ended(job.name, clock.now());
      };
      await (job.leaderOnly ? underFence(act) : act());
      entry.lastSuccessAt = clock.now();
      if (entry.outage.ends()) log.info('job works again', { job: job.name });
      entry.fault = null;
      count.add('svc_job_runs_total', { job: job.name, outcome: 'done' });
    } catch (error) {
      if (signal.aborted) return;
      const fault = error instanceof Error ? error.message : String(error);
      // Warned of once: what stands, health tells.
      const level = entry.outage.isNew(fault) ? 'warn' : 'debug';
      entry.fault = fault;
      count.add('svc_job_runs_total', { job: job.name, outcome: 'failed' });
      const message = job.failing?.what ?? 'job failed; it is tried again';
      log[level](message, { job: job.name, ...failureKeys(job, error, clock.now()), error });
    }
  }
}

function failureKeys({ every, failing }: Job, error: unknown, now: number): Keys {
  const { place, hint } = isIpoError(error) ? error : {};
  const from = place?.file ?? failing?.from;
  return {
    ...(from !== undefined && { from }),
    ...(failing !== undefined && { meanwhile: failing.meanwhile }),
    // To the second: a person reads it.
    next_try: formatTime(Math.ceil((failing?.nextTryAt?.() ?? now + every) / 1000) * 1000),
    ...(hint !== undefined && { hint }),
  };
}
