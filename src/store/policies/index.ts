/** Policies and runtime policies, revisions, when each was in effect, and the mirrors of their objects. It uses `leadership`, `sql` and `tables`. */
export { policyMirror } from './mirror.ts';
export { policyReads, policyStore } from './policies.ts';
export { runtimePolicyMirror, runtimePolicySource, runtimePolicyStore } from './runtime-policies.ts';
