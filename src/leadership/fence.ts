/** Fence is one leadership: the name that it is counted under, and its number. A leader writes as long as no later fence was given out. */
export interface Fence {
  readonly name: string;
  readonly value: number;
}

/** leaderFence gives the fence of who leads over the database. */
export function leaderFence(value: number): Fence {
  return { name: 'leader', value };
}

/** clusterFence gives the fence of who leads a cluster by this name (empty where it has none), among those that share the database. */
export function clusterFence(cluster: string, value: number): Fence {
  return { name: `cluster:${cluster}`, value };
}
