import {
  customPolicies,
  policyStatuses,
  RESOURCES,
  type KubernetesApi,
} from '../../adapters/kubernetes/index.ts';
import { ClusterPolicies, RUNTIME_POLICY, type ClusterPoliciesDeps } from '../../cluster/index.ts';
import type { NamedPolicies } from '../../policy/index.ts';
import type { RevisedRuntimePolicy } from '../../runtime/index.ts';
import { runtimePolicyMirror, type Store } from '../../store/index.ts';

/** RuntimePolicyObjects are the RuntimePolicy objects of a cluster: those in effect, and where the API writes them. */
export interface RuntimePolicyObjects {
  readonly policies: ClusterPolicies<RevisedRuntimePolicy>;
  readonly store: NamedPolicies<RevisedRuntimePolicy>;
}

/** openRuntimePolicies joins them. Nothing is called before the first objects are taken. */
export function openRuntimePolicies({
  api,
  store,
  ...deps
}: {
  readonly api: KubernetesApi;
  readonly store: Store;
} & Pick<ClusterPoliciesDeps<RevisedRuntimePolicy>, 'events' | 'clock' | 'log'>): RuntimePolicyObjects {
  const resource = RESOURCES.runtimePolicies;
  const mirror = runtimePolicyMirror(store);
  const policies = new ClusterPolicies({
    kind: RUNTIME_POLICY,
    mirror,
    statuses: policyStatuses(api, resource),
    ...deps,
  });
  const inEffect = (name: string): RevisedRuntimePolicy | null => policies.inEffect(name);
  return {
    policies,
    store: customPolicies(api, { resource, kind: RUNTIME_POLICY, record: mirror.record, inEffect }),
  };
}
