/**
 * Nodes of the cluster against the ceiling of the licence: the poll, the clock of grace, the transitions that are notified, and the
 * meter of image names, which admissions ask from memory.
 * It uses `leadership` and `licence`.
 */
export { Meter, type MeterDeps } from './meter.service.ts';
export { monthEnd, monthOf, monthStart } from './month.ts';
export { NodePoll, type NodePollDeps } from './poll.service.ts';
export type { MeterStore, NodeStandings, NodeStore, ReadyNodes, RunningNames } from './ports.ts';
export {
  graceOf,
  MAX_GRACE_DAYS,
  NODE_EVENTS,
  NODE_STATES,
  nodeGauges,
  planNodes,
  type Count,
  type NodeEvent,
  type NodeGauges,
  type NodeNotice,
  type NodePlan,
  type NodeStanding,
  type NodeState,
} from './standing.ts';
