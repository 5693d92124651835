/**
 * Nodes of the cluster against the ceiling of the licence: the poll, the clock of grace, the transitions that are notified, and the
 * meter of image names, which admissions ask from memory.
 * It uses `leadership` and `licence`.
 */
export { Meter } from './meter.service.ts';
export { monthEnd, monthOf, monthStart } from './month.ts';
export { NodePoll } from './poll.service.ts';
export type { MeterStore, NodeStandings, NodeStore, ReadyNodes } from './ports.ts';
export {
  graceOf,
  NODE_EVENTS,
  NODE_STATES,
  nodeGauges,
  planNodes,
  type NodeEvent,
  type NodeGauges,
  type NodeStanding,
  type NodeState,
} from './standing.ts';
