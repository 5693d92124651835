import type { ClusterFacts, DataFacts } from '../../doctor/index.ts';
import type { ClusterFlags } from '../doctor/cluster-facts.ts';
import type { DataFlags } from '../doctor/data-facts.ts';

/** examineCluster reads what the doctor judges of a cluster, by a kubeconfig. Nothing is written. Throws ClusterError. */
export async function examineCluster(flags: ClusterFlags, program: string): Promise<ClusterFacts> {
  return (await import('../doctor/cluster-facts.ts')).openClusterFacts(flags, program);
}

/** examineData looks at the settings and the directory of a service. Nothing is written, made or migrated. */
export async function examineData(
  flags: DataFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DataFacts> {
  return (await import('../doctor/data-facts.ts')).dataFacts(flags, env);
}
