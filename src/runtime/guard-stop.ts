/** NEVER_STOPPED are namespaces in which no pod is ever stopped, beside the operator's own. */
export const NEVER_STOPPED: readonly string[] = ['kube-system', 'kube-node-lease'];

/** WORKLOAD_STOPS is how many pods of one workload are stopped in an hour. */
const WORKLOAD_STOPS = 3;
export const WORKLOAD_PERIOD = 3_600_000;
export const STOP_PERIOD = 60_000;
/** STOP_WITHIN is how long after its event a pod may be stopped, in milliseconds. */
const STOP_WITHIN = 3_600_000;

/** StopQuestion is what is known before a pod is stopped for an event. */
export interface StopQuestion {
  readonly enforcement: 'Audit' | 'Enforce';
  readonly namespace: string | null;
  readonly podUid: string | null;
  /** Whether it mirrors a static pod. */
  readonly mirror: boolean;
  /** `rbac.allowEnforce` of the chart. */
  readonly allowEnforce: boolean;
  /** The namespace that the operator stands in; null outside of a cluster. */
  readonly ownNamespace: string | null;
  /** Milliseconds since the event came. */
  readonly age: number;
  /** Pods stopped within a minute, by sweeps too, and how many may be. */
  readonly stops: number;
  readonly maxStops: number;
  /** Of this workload within an hour. */
  readonly workloadStops: number;
}

/** StopAnswer is whether a pod is stopped; `withheld` says why not, in a clause. */
export type StopAnswer =
  | { readonly kind: 'stop' }
  | { readonly kind: 'would_stop' }
  | { readonly kind: 'withheld'; readonly loop: boolean; readonly why: string };

/** guardStop decides whether the pod of an event is stopped: an audit policy stops nothing, and each guard withholds. */
export function guardStop(question: StopQuestion): StopAnswer {
  const { enforcement, namespace, podUid, mirror, allowEnforce, ownNamespace } = question;
  if (enforcement === 'Audit') return { kind: 'would_stop' };
  const withhold = (why: string, loop = false): StopAnswer => ({ kind: 'withheld', loop, why });
  if (!allowEnforce) return withhold('rbac.allowEnforce is off');
  if (podUid === null || namespace === null) return withhold('its pod is not known');
  if (namespace === ownNamespace) return withhold('it stands in the namespace of the operator');
  if (NEVER_STOPPED.includes(namespace)) return withhold(`nothing in ${namespace} is stopped`);
  if (mirror) return withhold('it is a static pod, which its node runs whatever the API server is told');
  if (question.age > STOP_WITHIN) return withhold('it could not be stopped within an hour of the event');
  if (question.workloadStops >= WORKLOAD_STOPS)
    return withhold(
      `${WORKLOAD_STOPS} pods of its workload were stopped within an hour, and its controller makes them again`,
      true,
    );
  if (question.stops >= question.maxStops)
    return withhold(`${question.maxStops} pods were stopped within a minute`);
  return { kind: 'stop' };
}
