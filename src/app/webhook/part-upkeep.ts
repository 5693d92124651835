import type { ReplicaReport } from '../../replicas/index.ts';
import { jobMarks } from '../../store/index.ts';
import { answeringJobs } from '../ledger/history.ts';
import { Jobs } from '../running/jobs.ts';
import { timers } from '../running/timers.ts';
import type { PartAdmission } from './part-admission.ts';
import type { WebhookPartDeps } from './part-deps.ts';
import { Upkeep } from './upkeep.ts';

/** How often a replica looks for a question. */
const REPLICA_EVERY = 2_000;
/** How often the memory of the meter is brought up to date, and how the cluster stands against its ceiling. */
const METER_EVERY = 15_000;
const STANDING_EVERY = 1_000;
/** How often the uids that others appended are read, which the next review would else read while all of them wait for the ledger. */
const UIDS_EVERY = 1_000;

/** partJobs are the jobs of the webhook's part; none is a leader's. */
export function partJobs(
  { settings, store, clock, log, metrics }: WebhookPartDeps,
  { admission }: PartAdmission,
  report: ReplicaReport,
): Jobs {
  const cluster = settings.clusterName ?? '';
  return new Jobs(
    [
      { name: 'replica', every: REPLICA_EVERY, leaderOnly: false, atStart: true, run: () => report.tick() },
      ...(admission === null
        ? []
        : answeringJobs({ store, cluster, clock, answers: () => admission.health().unready === null })),
    ],
    {
      log,
      count: metrics,
      clock,
      timers,
      marks: jobMarks(store),
      isLeader: () => false,
      underFence: (act) => act(),
    },
  );
}

/** partUpkeeps keep in memory what reviews would else read themselves. */
export function partUpkeeps(
  { writer, log }: WebhookPartDeps,
  { admission, meter }: PartAdmission,
): readonly Upkeep[] {
  const follow = new Upkeep([() => writer.follow()], UIDS_EVERY, { timers, log });
  if (meter === null || admission === null) return [follow];
  return [
    follow,
    new Upkeep([() => meter.refresh()], METER_EVERY, { timers, log }),
    new Upkeep([() => meter.refreshStanding()], STANDING_EVERY, { timers, log }),
  ];
}
