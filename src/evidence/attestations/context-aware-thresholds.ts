import { overRevisions } from './over-revisions.ts';

/** contextAwareThresholds: enforcing policies are stricter where a pod is more exposed. */
export const contextAwareThresholds = overRevisions(
  {
    id: 'context-aware-thresholds',
    title: 'Thresholds follow the deployment context',
    population: 'enforcing revisions in effect in the period',
    asks: 'Each is one step stricter for pods that are privileged or exposed.',
  },
  'judge pods that are privileged or exposed one step more strictly',
  ({ policy }) => policy.spec.enforcement === 'Enforce',
  ({ policy }) => policy.spec.deploymentContext.mode === 'Escalate',
);
