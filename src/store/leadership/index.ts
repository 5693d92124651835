/**
 * Who may write as the leader: the fences in the database, and writes that hold one.
 * It uses `history` and `sql`.
 */
export { raiseClusterFence } from './cluster-fence.ts';
export { keepAlive, readAlive, readFence } from './fence-holder.ts';
export { raiseFence, standsFence } from './fence.ts';
export { fenceWrites, underLeadership } from './fenced-writes.ts';
