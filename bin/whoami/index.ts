/**
 * `ipo whoami`: as whom the command line calls the service.
 * It uses `service` and `terminal`.
 */
import { Command } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { WhoamiOptions } from './run.ts';

/** listed is `ipo whoami` in the help. */
export const listed: Listed = {
  name: 'whoami',
  summary: 'show the account that you are signed in to',
  group: 'Accounts:',
  place: 3,
  examples: ['ipo whoami', 'IPO_SERVER=https://ipo.example.com IPO_TOKEN=$(cat token) ipo whoami -o json'],
  define: whoamiCommand,
};

/** whoamiCommand defines `ipo whoami`. */
function whoamiCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('whoami'))
    .description('Show the account, its role, and the end of the session or token in use.')
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runWhoami } = await import('./run.ts');
      return runWhoami(command.opts<WhoamiOptions>(), terminal);
    }),
  );
}
