import { Command } from 'commander';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import type { PolicyImportOptions } from './run.ts';

/** importCommand defines `ipo policy import`. */
export function importCommand(settle: Settle): Command {
  const command = new Command('import')
    .summary('convert policies of other tools')
    .description(
      'Convert policies of Kyverno, Gatekeeper, sigstore policy-controller and Connaisseur, and report the result of each rule: same, narrower (the converted policy allows less), wider (it allows more) or not_covered. Exit 1 when a rule is wider or not covered.',
    )
    .argument('<file...>', 'policies of other tools (YAML or JSON), or directories of them; - is stdin')
    .addOption(
      outputOption('yaml (the policies), table (the rules) or json', 'yaml, and the rules on stderr'),
    );
  return command.action((files: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runPolicyImport } = await import('./run.ts');
      return runPolicyImport(files, command.opts<PolicyImportOptions>(), terminal, globals);
    })(),
  );
}
