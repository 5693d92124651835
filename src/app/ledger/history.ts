import { DAY_MS, type Clock, type Log } from '../../base/index.ts';
import { AnsweringRecord } from '../../history/index.ts';
import {
  answeredMinutes,
  dropLeftStaged,
  pruneFailures,
  pruneHistory,
  pruneRuntimeEvents,
  pruneScans,
  retentionTimes,
  type Store,
} from '../../store/index.ts';
import type { Job } from '../running/jobs.ts';
import { RetentionTime, type RetentionClock } from '../running/retention-time.service.ts';

const SECOND = 1000;

/** openRetentionTime joins the time by which things are deleted with the database, and with a clock that no one sets. */
export function openRetentionTime(
  store: Store,
  {
    clock,
    log,
    pace = { monotonic: () => performance.now() },
  }: {
    readonly clock: Clock;
    readonly log: Log;
    readonly pace?: { monotonic(): number } | undefined;
  },
): RetentionTime {
  return new RetentionTime({ times: retentionTimes(store), clock, log, monotonic: () => pace.monotonic() });
}

/** KeptDays say for how many days history and events of the runtime detector are kept; 0 keeps all. */
export interface KeptDays {
  readonly evidence: { readonly retentionDays: number };
  readonly runtime: { readonly retentionDays: number };
}

/** retentionJobs are those that delete history, replaced scans and events. */
export function retentionJobs(
  store: Store,
  { evidence, runtime }: KeptDays,
  retention: RetentionClock,
): readonly Job[] {
  return [
    ...retentionJob(store, evidence.retentionDays, retention),
    scanRetentionJob(store, retention),
    ...runtimeRetentionJob(store, runtime.retentionDays, retention),
  ];
}

/** runtimeRetentionJob deletes events of the runtime detector that came longer ago than `days`; there is none where all are kept. */
function runtimeRetentionJob(store: Store, days: number, retention: RetentionClock): readonly Job[] {
  if (days === 0) return [];
  return [
    {
      name: 'runtime-retention',
      every: 60 * 60 * SECOND,
      leaderOnly: true,
      atStart: true,
      run: async (signal) =>
        void (await pruneRuntimeEvents(store, (await retention.now()) - days * DAY_MS, signal)),
    },
  ];
}

/** retentionJob deletes history that ended longer ago than `days`; there is none where all is kept. */
export function retentionJob(store: Store, days: number, retention: RetentionClock): readonly Job[] {
  if (days === 0) return [];
  return [
    {
      name: 'evidence-retention',
      every: 6 * 60 * 60 * SECOND,
      leaderOnly: true,
      atStart: true,
      run: async (signal) =>
        void (await pruneHistory(store, (await retention.now()) - days * DAY_MS, signal)),
    },
  ];
}

/** Days that a scan which was replaced is kept, and why an image could not be scanned that is gone. */
const SCAN_DAYS = 90;

/** scanRetentionJob deletes the records of scans that were replaced long ago, and the failures of images that were in use no later. */
export function scanRetentionJob(store: Store, retention: RetentionClock): Job {
  return {
    name: 'scan-retention',
    every: 60 * 60 * SECOND,
    leaderOnly: true,
    atStart: true,
    async run(signal) {
      const before = (await retention.now()) - SCAN_DAYS * DAY_MS;
      await pruneScans(store, before, signal);
      await pruneFailures(store, before, signal);
      await dropLeftStaged(store, (await retention.now()) - 60 * 60 * SECOND, signal);
    },
  };
}

/** AnsweringOptions are what is asked, and where it is kept. */
export interface AnsweringOptions {
  /** As it was opened: every replica writes when it answered. */
  readonly store: Store;
  /** Name of the cluster; empty for none. */
  readonly cluster: string;
  /** Whether reviews are answered now. */
  answers(): boolean;
  readonly clock: Clock;
}

/** answeringJobs keep the minutes in which reviews were answered. To look is a job of its own: no slow database keeps it from being done. */
export function answeringJobs({ store, cluster, answers, clock }: AnsweringOptions): readonly Job[] {
  const record = new AnsweringRecord({ cluster, answers, minutes: answeredMinutes(store), clock });
  return [
    {
      name: 'answering',
      every: 15 * SECOND,
      leaderOnly: false,
      atStart: true,
      run: async () => record.look(),
    },
    {
      name: 'answered-minutes',
      every: 30 * SECOND,
      leaderOnly: false,
      atEnd: true,
      run: () => record.flush(),
    },
  ];
}
