import { DAY_MS } from '../base/index.ts';
import type { RunningPod } from './ports.ts';

/** ALWAYS_LEFT_OUT are the namespaces that the webhook never covers, besides the operator's own. */
export const ALWAYS_LEFT_OUT = ['kube-system', 'kube-node-lease'] as const;

/** SweepRules are the settings of the reconciliation. */
export interface SweepRules {
  /** The installation's `clusterName`; empty where it has none. */
  readonly cluster: string;
  /** The operator's own namespace, where nothing is ever stopped. */
  readonly ownNamespace: string;
  /** Further namespaces that the webhook does not cover. */
  readonly leftOut: readonly string[];
  /** Whether the labels of a namespace are those that the webhook covers. */
  readonly selected: (namespace: string) => boolean;
  /** Chart value `rbac.allowEnforce`. */
  readonly allowEnforce: boolean;
  /** Pods of the cluster that may be stopped within a minute, for events of the detector too. */
  readonly maxStops: number;
}

/** PERIOD is within what the same notification is sent once, in milliseconds. */
export const PERIOD = DAY_MS;

/** STOPS_REMEMBERED is for how long a stop keeps the same image from being stopped again, in milliseconds. */
export const STOPS_REMEMBERED = 30 * DAY_MS;

/** covers tells whether the webhook is asked about the pods of a namespace. */
export function covers({ ownNamespace, leftOut, selected }: SweepRules, namespace: string): boolean {
  return (
    namespace !== ownNamespace &&
    !ALWAYS_LEFT_OUT.some((name) => name === namespace) &&
    !leftOut.includes(namespace) &&
    selected(namespace)
  );
}

/**
 * mustHaveRow tells whether a pod should have a row of a review: "pods created after the install in a namespace the webhook
 * covers". A mirror of a static pod is none: its node runs it without asking.
 */
export function mustHaveRow(rules: SweepRules, installedAt: number, pod: RunningPod): boolean {
  return !pod.mirror && pod.createdAt >= installedAt && covers(rules, pod.namespace);
}

/** mayStop gives how many pods of a workload may be stopped in one sweep: a quarter of them, at least one. */
export function mayStop(pods: number): number {
  return Math.max(1, Math.floor(pods / 4));
}
