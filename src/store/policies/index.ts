/** Policies, their revisions, when each was in effect, and the mirror of ImagePolicy objects. It uses `leadership`, `sql` and `tables`. */
export { policyMirror } from './mirror.ts';
export { policyReads, policyStore } from './policies.ts';
