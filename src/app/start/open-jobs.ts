import type { Api } from '../../api/index.ts';
import { firstTime, jobMarks, underLeadership } from '../../store/index.ts';
import { serviceBackups } from '../backup/joined.ts';
import { clusterIdJobs } from '../doctor/service.ts';
import { retentionJobs } from '../ledger/history.ts';
import { wantedFeeds } from '../notify/feeds.ts';
import { noticeJobs, tellingBroken } from '../notify/notice-jobs.ts';
import { Jobs } from '../running/jobs.ts';
import { renewing } from '../running/renew-tls.ts';
import { timers } from '../running/timers.ts';
import { serviceJobs } from '../service/jobs.ts';
import type { Foundation } from './foundation.ts';
import type { ServiceMembers } from './members.ts';

/** openJobs joins what a service does by itself again and again. Nothing runs before they are started. `api` gives null until it is there. */
export function openJobs(base: Foundation, members: ServiceMembers, api: () => Api | null): Jobs {
  const { settings, store, fenced, clock, log, count } = base;
  const { cluster, parts, trackers, ledger, facts, operator, licence, runtime, retention, evidence } =
    members;
  const leader = cluster?.leader;
  const jobs = serviceJobs({
    ...parts,
    settings,
    retention,
    trackers,
    operator: [
      ...ledger.jobs,
      ...operator.jobs,
      ...licence.jobs,
      ...runtime.jobs,
      ...clusterIdJobs({ store, settings, cluster, clock }),
    ],
    facts: facts.jobs,
    notices: noticeJobs({
      notifications: trackers.notifications,
      retention,
      wantedSince: (title, at) => firstTime(store, title, at),
      feeds: wantedFeeds(store, parts, facts.scanning.database),
    }),
    evidence: evidence.jobs,
    history: retentionJobs(fenced, settings, retention),
    backups: serviceBackups({ ...base, store: fenced, facts, traffic: operator.peer.traffic }),
    checkpoint: () => tellingBroken(trackers.notifications, ledger.checkpoint),
    renewTls: renewal(base, api),
  });
  return new Jobs(jobs, {
    log,
    count,
    clock,
    timers,
    marks: jobMarks(fenced),
    isLeader: () => leader?.isLeader() ?? true,
    underFence: (act) => (leader === undefined ? act() : underLeadership(leader.fence(), act)),
  });
}

/** What reads the certificate of the API again; null where it has no TLS of its own. */
function renewal(
  { settings, tls, clock, log }: Foundation,
  api: () => Api | null,
): (() => Promise<void>) | null {
  if (settings.tls === undefined || tls === undefined) return null;
  return renewing(settings.tls, tls, api, log, () => clock.now());
}
