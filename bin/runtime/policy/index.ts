/**
 * `ipo runtime policy`: which events stop a pod, at a service.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import type { ApplyOptions } from '../apply.ts';
import type { RuntimePolicyFlags, RuntimePolicyDeleteFlags } from './verbs.ts';

/** runtimePolicyCommand defines `ipo runtime policy` and what stands below it. */
export function runtimePolicyCommand(settle: Settle): Command {
  const policy = new Command('policy')
    .summary('list, show, apply and delete runtime policies')
    .description('Work with the runtime policies of a service: which events of the detector stop a pod.');
  for (const define of [list, show, apply, remove]) policy.addCommand(define(settle));
  return policy;
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list the runtime policies')
    .description('List the runtime policies of a service, by name.')
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal) => {
      const { runRuntimePolicyList } = await import('./verbs.ts');
      return runRuntimePolicyList(command.opts<RuntimePolicyFlags>(), terminal);
    })(),
  );
}

function show(settle: Settle): Command {
  const command = withServiceFlags(new Command('show'))
    .summary('print a runtime policy, ready to edit')
    .description('Print the document of a runtime policy, ready to edit and to apply.')
    .argument('<name>', 'name of the runtime policy')
    .addOption(outputOption('yaml or json', 'yaml'));
  return command.action((name: string) =>
    settle(async (terminal) => {
      const { runRuntimePolicyShow } = await import('./verbs.ts');
      return runRuntimePolicyShow(name, command.opts<RuntimePolicyFlags>(), terminal);
    })(),
  );
}

function apply(settle: Settle): Command {
  const command = withServiceFlags(new Command('apply'))
    .summary('create or update runtime policies, after showing the difference')
    .description(
      'Show how the RuntimePolicy documents in files differ from those of the service. Then ask, and apply them. RuntimeRules in the same files are left to `ipo runtime rule apply`.',
    )
    .argument(
      '<file...>',
      'RuntimePolicy documents (YAML or JSON, several each), or directories of them; - is stdin',
    )
    .addOption(new Option('-y, --yes', 'apply without asking for confirmation'))
    .addOption(new Option('--dry-run', 'show the differences, and write nothing'))
    .addOption(new Option('--exit-code', 'with --dry-run: exit 1 when something would change'))
    .addOption(outputOption());
  return command.action((files: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runRuntimePolicyApply } = await import('./apply.ts');
      return runRuntimePolicyApply(files, command.opts<ApplyOptions>(), terminal, globals);
    })(),
  );
}

function remove(settle: Settle): Command {
  const command = withServiceFlags(new Command('delete'))
    .summary('delete a runtime policy')
    .description('Delete a runtime policy, after confirmation. It no longer stops pods.')
    .argument('<name>', 'name of the runtime policy')
    .addOption(new Option('-y, --yes', 'delete without asking for confirmation'))
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal, globals) => {
      const { runRuntimePolicyDelete } = await import('./verbs.ts');
      return runRuntimePolicyDelete(name, command.opts<RuntimePolicyDeleteFlags>(), terminal, globals);
    })(),
  );
}
