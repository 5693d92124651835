/**
 * What running containers do: events of the detector, and the rules over them.
 * It uses `history`, `leadership`, `outbox`, `sql` and `tables`.
 */
export { decisionStore } from './decisions.ts';
export { runtimeEvents } from './events.ts';
export { joinedShare } from './joined-share.ts';
export { runtimeIntake } from './intake.ts';
export { pruneRuntimeEvents } from './retention.ts';
export { runtimeRuleStore } from './rules.ts';
export { runtimeHistory } from './history.ts';
