import { Command, Option } from 'commander';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import { allOption, failOnOption, strictOption } from '../../whatif/index.ts';
import type { PolicyListOptions, PolicyGetOptions, PolicyDeleteOptions } from './verbs.ts';
import type { PolicyApplyOptions } from './apply.ts';
import type { PolicyWhatIfOptions } from './whatif.ts';

/** storedPolicyCommands define what `ipo policy` does with the policies of a service. */
export function storedPolicyCommands(settle: Settle): readonly Command[] {
  return [list, revisions, get, apply, remove, whatIf].map((define) => define(settle));
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list the policies in effect')
    .description('List the policies in effect at a service, by name.')
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal) => {
      const { runPolicyList } = await import('./verbs.ts');
      return runPolicyList(command.opts<PolicyListOptions>(), terminal);
    })(),
  );
}

function revisions(settle: Settle): Command {
  const command = withServiceFlags(new Command('revisions'))
    .summary('list the revisions of a policy')
    .description(
      'List the revisions of a policy, newest first, also those of a deleted policy: ledger rows name revisions.',
    )
    .argument('<name>', 'name of the policy')
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal) => {
      const { runPolicyRevisions } = await import('./verbs.ts');
      return runPolicyRevisions(name, command.opts<PolicyListOptions>(), terminal);
    })(),
  );
}

function get(settle: Settle): Command {
  const command = withServiceFlags(new Command('get'))
    .summary('print a policy of a service, ready to edit')
    .description('Print the document of a policy in effect, or of an earlier revision.')
    .argument('<name>', 'name of the policy')
    .addOption(
      new Option('--revision <hash>', 'revision to print, by its first digits (default: the one in effect)'),
    )
    .addOption(outputOption('yaml or json', 'yaml'));
  return command.action((name: string) =>
    settle(async (terminal) => {
      const { runPolicyGet } = await import('./verbs.ts');
      return runPolicyGet(name, command.opts<PolicyGetOptions>(), terminal);
    })(),
  );
}

function apply(settle: Settle): Command {
  const command = withServiceFlags(new Command('apply'))
    .summary('create or update policies, after showing the difference')
    .description(
      'Show how the policies in files differ from those in effect, and what they would have changed in the last 30 days. Then ask, and apply them.',
    )
    .argument(
      '<file...>',
      'policy files (YAML or JSON, several documents each), or directories of them; - is stdin',
    )
    .addOption(new Option('-y, --yes', 'apply without asking for confirmation'))
    .addOption(new Option('--dry-run', 'show the differences, and write nothing'))
    .addOption(new Option('--exit-code', 'with --dry-run: exit 1 when something would change'))
    .addOption(new Option('--no-whatif', 'skip the what-if of the last 30 days'))
    .addOption(outputOption());
  return command.action((files: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runPolicyApply } = await import('./apply.ts');
      return runPolicyApply(files, command.opts<PolicyApplyOptions>(), terminal, globals);
    })(),
  );
}

function remove(settle: Settle): Command {
  const command = withServiceFlags(new Command('delete'))
    .summary('delete a policy; its revisions are kept')
    .description('Delete a policy, after confirmation. Its revisions are kept.')
    .argument('<name>', 'name of the policy')
    .addOption(new Option('-y, --yes', 'delete without asking for confirmation'))
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal, globals) => {
      const { runPolicyDelete } = await import('./verbs.ts');
      return runPolicyDelete(name, command.opts<PolicyDeleteOptions>(), terminal, globals);
    })(),
  );
}

function whatIf(settle: Settle): Command {
  const command = withServiceFlags(new Command('whatif'))
    .summary('replay a policy in effect over recorded admissions')
    .description(
      'Let the service replay a policy in effect, an audit policy as if it enforced. Outputs and exit codes are those of `ipo whatif`.',
    )
    .argument('<name>', 'name of the policy')
    .addOption(new Option('-d, --days <n>', 'number of days to look back, 1 to 90').default('30'))
    .addOption(new Option('--limit <n>', 'replay at most the newest N rows; 0 replays all').default('5000'))
    .addOption(new Option('--keep', 'store the run in the service (deployers and administrators)'))
    .addOption(failOnOption())
    .addOption(strictOption())
    .addOption(allOption())
    .addOption(outputOption('table, json, yaml, markdown, html, sarif, junit or github'));
  return command.action((name: string) =>
    settle(async (terminal, globals) => {
      const { runPolicyWhatIf } = await import('./whatif.ts');
      return runPolicyWhatIf(name, command.opts<PolicyWhatIfOptions>(), terminal, globals);
    })(),
  );
}
