import { Command, Option } from 'commander';
import { withServiceFlags, type ServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import { allOption, failOnOption, strictOption } from '../../whatif/index.ts';

/** PolicyListOptions are the flags of `ipo policy list` and `revisions`. */
export interface PolicyListOptions extends ServiceFlags {
  readonly output?: readonly string[];
}

/** PolicyGetOptions are the flags of `ipo policy get`. */
export interface PolicyGetOptions extends ServiceFlags {
  readonly revision?: string;
  readonly output?: readonly string[];
}

/** PolicyApplyOptions are the flags of `ipo policy apply`. */
export interface PolicyApplyOptions extends ServiceFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly exitCode?: true;
  readonly output: readonly string[];
  /** False with `--no-whatif`. */
  readonly whatif: boolean;
}

/** PolicyDeleteOptions are the flags of `ipo policy delete`. */
export interface PolicyDeleteOptions extends ServiceFlags {
  readonly yes?: true;
  readonly output: readonly string[];
}

/** PolicyWhatIfOptions are the flags of `ipo policy whatif`. */
export interface PolicyWhatIfOptions extends ServiceFlags {
  readonly days: string;
  readonly limit: string;
  readonly keep?: true;
  readonly failOn?: readonly string[];
  readonly strict?: true;
  readonly all?: true;
  readonly output?: readonly string[];
}

/** storedPolicyCommands define what `ipo policy` does with the policies of a service. */
export function storedPolicyCommands(settle: Settle): readonly Command[] {
  return [list, revisions, get, apply, remove, whatIf].map((define) => define(settle));
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list the policies that a service has in effect')
    .description('Lists the policies in effect, by name.')
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
    .summary('list the revisions that a policy has had')
    .description(
      'Lists the revisions of a policy, newest first, also of one that was deleted: ledger rows name them.',
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
    .summary('print a policy that a service has, ready to be edited')
    .description('Prints the document of a policy in effect, or of a revision that it had.')
    .argument('<name>', 'name of the policy')
    .addOption(
      new Option(
        '--revision <hash>',
        'this revision instead of the one in effect; its first digits are enough',
      ),
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
    .summary('create or update policies, after showing what would change')
    .description(
      'Shows how the policies of files differ from those in effect, and what that would have changed in the last 30 days; asks, and writes them.',
    )
    .argument(
      '<file...>',
      'policy files (YAML or JSON, several documents each), or directories of them; - is stdin',
    )
    .addOption(new Option('-y, --yes', 'write without being asked'))
    .addOption(new Option('--dry-run', 'show the differences and write nothing'))
    .addOption(new Option('--exit-code', 'with --dry-run: exit 1 when something would change'))
    .addOption(new Option('--no-whatif', 'leave out what the last 30 days would have been'))
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
    .summary('delete a policy; its revisions stay')
    .description('Asks, and takes a policy out of force. Its revisions stay.')
    .argument('<name>', 'name of the policy')
    .addOption(new Option('-y, --yes', 'delete without being asked'))
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
    .summary('replay a policy that is in effect over the last 30 days')
    .description(
      'Lets the service replay a policy as it is in effect, an audit policy as if it enforced. Outputs and exit codes are those of `ipo whatif`.',
    )
    .argument('<name>', 'name of the policy')
    .addOption(new Option('-d, --days <n>', 'how far to look back, 1 to 90').default('30'))
    .addOption(new Option('--limit <n>', 'decide at most the newest n rows; 0 is all').default('5000'))
    .addOption(new Option('--keep', 'let the service keep the run (deployers and administrators)'))
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
