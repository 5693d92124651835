import type { RuntimeWhatIfParts } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import { runtimeHistory, runtimePolicySource, runtimeRuleStore, type Store } from '../../store/index.ts';

/** RuntimeWhatIfSetup is what a replay of stored events needs to know of the service. */
export interface RuntimeWhatIfSetup {
  readonly cluster: string | null;
  readonly maxStops: number;
  /** The namespace of the operator; null where it is not known. */
  readonly ownNamespace: string | null;
}

/** runtimeWhatIfParts joins the replay of stored events to a store. */
export function runtimeWhatIfParts(
  store: Store,
  { cluster, maxStops, ownNamespace }: RuntimeWhatIfSetup,
  clock: Clock,
): RuntimeWhatIfParts {
  return {
    history: runtimeHistory(store),
    runtimeRules: runtimeRuleStore(store),
    cluster,
    clock,
    policySource: runtimePolicySource(store),
    limits: { maxStops, ownNamespace },
  };
}
