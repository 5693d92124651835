import { Command, Option } from 'commander';
import { withServiceFlags, type ServiceFlags } from '../ui/service-flags.ts';
import type { Settle } from '../ui/settle.ts';

/** WhoamiOptions are the flags of `ipo whoami`. */
export interface WhoamiOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** whoamiCommand defines `ipo whoami`. */
export function whoamiCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('whoami'))
    .description('Shows the account, the role and the end of the session or token that calls are made with.')
    .addOption(output('table, json or yaml; repeatable'));
  return command.action(
    settle(async (terminal) => {
      const { runWhoami } = await import('../run/whoami.ts');
      return runWhoami(command.opts<WhoamiOptions>(), terminal);
    }),
  );
}

function output(formats: string): Option {
  return new Option('-o, --output <format[=path]>', formats)
    .argParser((value: string, before: readonly string[]) => [...before, value])
    .default([] as readonly string[], 'table');
}
