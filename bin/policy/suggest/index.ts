import { Command, Option } from 'commander';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import { withAdviceFlags } from '../../whatif/matrix/index.ts';
import type { PolicySuggestOptions } from './run.ts';

/** suggestCommand defines `ipo policy suggest`. */
export function suggestCommand(settle: Settle): Command {
  const command = withAdviceFlags(new Command('suggest'))
    .summary('suggest the strictest policy that denies nothing recorded')
    .description(
      'Find the strictest policy that would have denied no recorded admission, or at most N with --tolerate N. Comments say why each field has its value, and a plan says what to fix next. The result is linted and replayed before it is printed.',
    )
    .addOption(
      new Option(
        '--base <policy>',
        'policy file whose namespaces, keys, remediation windows, break-glass and VEX are kept',
      ),
    )
    .addOption(
      new Option(
        '--tolerate <n>',
        'how many of the allowed admissions the policy may deny: a count, or a share such as 1%',
      ).default('0'),
    )
    .addOption(new Option('--name <name>', 'name of the policy').default('suggested'))
    .addOption(
      new Option(
        '--explain <field>',
        'show what each value of one field would deny, such as severityThreshold',
      ),
    )
    .addOption(outputOption('yaml or json (with --explain: table or json)', 'yaml'));
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runPolicySuggest } = await import('./run.ts');
      return runPolicySuggest(command.opts<PolicySuggestOptions>(), terminal, globals);
    })(),
  );
}
