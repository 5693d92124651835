/**
 * Replicas: which of them may hold rows of reviews that the database has not. Each says so itself; a sweep asks all of them before it
 * takes a row that is not there for a review that never was.
 * It uses `accounts`.
 */
export { accountOf, UNREAD, type Account } from './account.ts';
export { askReplicas } from './ask.service.ts';
export { ReplicaList } from './list.service.ts';
export {
  mayHold,
  REPLICA_STATES,
  stateOf,
  type Note,
  type Question,
  type ReplicaLine,
  type ReplicaName,
  type ReplicaStanding,
  type ReplicaState,
} from './replica.ts';
export { ReplicaReport } from './report.service.ts';
export type { Holding, ReplicaStore, SpoolNotes } from './ports.ts';
