/**
 * `ipo cluster`: the replicas of a cluster, and those that a person forgets.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { ClusterReplicasOptions, ClusterForgetReplicaOptions } from './verbs.ts';

/** listed is `ipo cluster` in the help. */
export const listed: Listed = {
  name: 'cluster',
  summary: 'show the replicas of the service in a cluster, or remove a lost replica',
  group: 'The service:',
  place: 1,
  examples: [
    'ipo cluster replicas',
    'ipo cluster replicas -o json',
    'ipo cluster forget-replica ipo-2-4d5e6f --yes',
  ],
  define: clusterCommand,
};

/** clusterCommand defines `ipo cluster` and what stands below it. */
function clusterCommand(settle: Settle): Command {
  const cluster = new Command('cluster').description(
    'Show the replicas of the service in a cluster, or remove a lost replica.',
  );
  for (const define of [replicas, forgetReplica]) cluster.addCommand(define(settle));
  return cluster;
}

function replicas(settle: Settle): Command {
  const command = withServiceFlags(new Command('replicas'))
    .summary('list replicas, and those that may hold unsaved rows')
    .description(
      'List the replicas of the cluster. A replica that spools or is missing may hold review rows that the database does not ' +
        'have. Sweeps skip the pods that it may have reviewed.',
    )
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runClusterReplicas } = await import('./verbs.ts');
      return runClusterReplicas(command.opts<ClusterReplicasOptions>(), terminal);
    }),
  );
}

function forgetReplica(settle: Settle): Command {
  const command = withServiceFlags(new Command('forget-replica'))
    .summary('forget a missing replica and the rows that it may hold')
    .description(
      'Forget a replica whose volume is lost. The rows that it may hold then count as lost: pods that only this replica reviewed are ' +
        'recorded as unreviewed, and may be stopped where enforcement allows that. The audit log records this. If the volume is found later, ' +
        'its rows are added to the ledger.',
    )
    .argument('<name>', 'name of the replica, as ipo cluster replicas shows it')
    .addOption(new Option('-y, --yes', 'do not ask for confirmation'))
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal, globals) => {
      const { runClusterForgetReplica } = await import('./verbs.ts');
      return runClusterForgetReplica(name, command.opts<ClusterForgetReplicaOptions>(), terminal, globals);
    })(),
  );
}
