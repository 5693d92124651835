/**
 * What is wrong with a service, a cluster or a data directory: checks over facts that others gathered, each with a stable id, a state and
 * what to do. It uses no other folder.
 */
export { examine, STATES, toReport, type CheckResult, type DoctorReport, type State } from './check.ts';
export { CLUSTER_CHECKS } from './cluster/checks.ts';
export type { ClusterFacts, SeenPod, SeenWebhook } from './cluster/facts.ts';
export { ENFORCE_VERBS, REQUIRED_VERBS } from './cluster/verbs.ts';
export { DATA_CHECKS } from './data/checks.ts';
export type { DataFacts } from './data/facts.ts';
export { SERVICE_CHECKS } from './service/checks.ts';
export type { ChannelFacts, ServiceFacts } from './service/facts.ts';
