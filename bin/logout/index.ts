/**
 * `ipo logout`: the end of a session.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { LogoutOptions } from './run.ts';

/** listed is `ipo logout` in the help. */
export const listed: Listed = {
  name: 'logout',
  summary: 'sign out of a service',
  group: 'Accounts:',
  place: 2,
  examples: ['ipo logout', 'ipo logout ipo.example.com'],
  define: logoutCommand,
};

/** logoutCommand defines `ipo logout`. */
function logoutCommand(settle: Settle): Command {
  const command = new Command('logout')
    .description(
      'End the session at the service and delete it from this machine. An API token is only deleted here; it stays valid.',
    )
    .argument('[server]', 'address of the service (default: IPO_SERVER, then the last sign-in)')
    .addOption(
      new Option('--ca <file>', 'PEM file of the certificate authority of the service (default: IPO_CA)'),
    );
  return command.action((server: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runLogout } = await import('./run.ts');
      return runLogout(server, command.opts<LogoutOptions>(), terminal, globals);
    })(),
  );
}
