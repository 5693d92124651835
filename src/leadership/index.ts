/**
 * Who of several processes may do what only one may, and under which number it writes: an election over a Lease, and the fence that keeps
 * a leader that was stopped and goes on from writing. The database's side stands in `store/leadership`, what joins them in `app/leadership`.
 * It uses no other folder.
 */
export { Election } from './election.service.ts';
export { clusterFence, leaderFence, type Fence } from './fence.ts';
export type { LeaseRecord, LeaseTimes, StoredLease } from './lease.ts';
export type { Leader } from './leader.ts';
export { hasLostLead, LeadershipError } from './leadership-error.ts';
export type { ElectionClock, Fences, LeaseStore } from './ports.ts';
