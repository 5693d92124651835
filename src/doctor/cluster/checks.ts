import type { Check } from '../check.ts';
import type { ClusterFacts } from './facts.ts';
import { INSTALLATION_CHECKS } from './installation.ts';
import { WEBHOOK_CHECKS } from './webhook.ts';

/** CLUSTER_CHECKS are what a kubeconfig lets one examine. Without an API server only the first applies. */
export const CLUSTER_CHECKS: readonly Check<ClusterFacts>[] = [...INSTALLATION_CHECKS, ...WEBHOOK_CHECKS].map(
  ({ id, judge }, place) => ({
    id,
    judge: (facts, at) => (place > 0 && facts.fault !== null ? null : judge(facts, at)),
  }),
);
