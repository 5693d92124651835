import type { NodePlan, NodeStanding } from './standing.ts';

/** ReadyNodes counts the nodes of the cluster whose condition `Ready` is `True`. */
export interface ReadyNodes {
  /** Null, or a rejection, when they cannot be counted now; what is too old to be trusted is not counted. */
  count(): Promise<number | null>;
}

/** NodeStore keeps how each cluster stands. */
export interface NodeStore {
  /** Null for a cluster that was never counted. */
  standing(cluster: string): Promise<NodeStanding | null>;
  /**
   * Writes what `plan` makes of the standing as it is, together with its notices, under the fence. Throws when another process leads
   * the cluster since.
   */
  change(
    fence: number,
    cluster: string,
    at: number,
    plan: (before: NodeStanding | null) => NodePlan,
  ): Promise<NodePlan>;
}

/** NodeStandings gives how every cluster stands that was ever counted. */
export interface NodeStandings {
  /** By the name of the cluster, in the order of the names. */
  all(): Promise<ReadonlyMap<string, NodeStanding>>;
}

/** MeterStore keeps which image names were admitted in which month. */
export interface MeterStore {
  /** Names (`host/path`) that were admitted in a cluster in a month, `2026-10` (UTC). */
  names(cluster: string, month: string): Promise<ReadonlySet<string>>;
  /** Takes the admissions of the ledger in, up to `rows` more rows; false when there are no more. */
  follow(rows: number, at: number): Promise<boolean>;
}

/** RunningNames gives the names (`host/path`) of the images that run in the cluster. */
export interface RunningNames {
  names(): Promise<readonly string[]>;
}
