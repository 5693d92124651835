/**
 * `ipo doctor`: what is wrong with a service, a cluster or the directory of a service that does not start.
 * It uses `files`, `release`, `service`, `terminal` and `upgrade`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { DoctorOptions } from './options.ts';

/** listed is `ipo doctor` in the help. */
export const listed: Listed = {
  name: 'doctor',
  summary: 'examine a service, a cluster or a data directory, and say what to do',
  group: 'The service:',
  place: 11,
  examples: [
    'ipo doctor',
    'ipo doctor --kubeconfig ~/.kube/config --namespace image-policy-operator',
    'ipo doctor --data /var/lib/ipo',
    'ipo doctor --for 1.3.7 --strict',
    'ipo doctor --bundle doctor.json',
  ],
  define: doctorCommand,
};

/** doctorCommand defines `ipo doctor`. */
function doctorCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('doctor'))
    .description(
      'Examine a running service, the cluster that it runs in, or the directory of a service that does not start. ' +
        'Each check has a stable id, a state (ok, warn or fail) and what to do. Nothing is changed. Exit 1 when a check fails.',
    )
    .addOption(
      new Option(
        '--kubeconfig <file>',
        'kubeconfig of the cluster to examine; with only --context or --namespace: KUBECONFIG, else ~/.kube/config; without all three, no cluster is examined',
      ),
    )
    .addOption(new Option('--context <name>', 'context of the kubeconfig (default: its current one)'))
    .addOption(
      new Option(
        '--namespace <name>',
        'namespace of the service in the cluster (default: that of the context)',
      ),
    )
    .addOption(new Option('--data <dir>', 'examine the directory of a service that does not run'))
    .addOption(new Option('--config <file>', 'settings of that service (YAML or JSON)'))
    .addOption(new Option('--for <version>', 'also say what an upgrade to this version needs'))
    .addOption(new Option('--strict', 'exit 1 for a warning too'))
    .addOption(new Option('-a, --all', 'list the checks that are ok as well'))
    .addOption(
      new Option('--bundle <file>', 'write a report to send to others, without secrets, hosts and addresses'),
    )
    .addOption(new Option('--force', 'overwrite the file of --bundle if it is there'))
    .addOption(outputOption('table, json, yaml or markdown'));
  return command.action(
    settle(async (terminal, globals) => {
      const { runDoctor } = await import('./run.ts');
      return runDoctor(command.opts<DoctorOptions>(), terminal, globals);
    }),
  );
}
