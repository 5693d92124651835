/**
 * `ipo logout`: the end of a session.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';

/** LogoutOptions are the flags of `ipo logout`. */
export interface LogoutOptions {
  readonly ca?: string;
}

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
      'Ends the session at the service and forgets it here. An API token is only forgotten; it stays good.',
    )
    .argument('[server]', 'address of the service; else IPO_SERVER, else the one signed in to last')
    .addOption(
      new Option('--ca <file>', 'PEM file of the authority that signed its certificate; else IPO_CA'),
    );
  return command.action((server: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runLogout } = await import('./run.ts');
      return runLogout(server, command.opts<LogoutOptions>(), terminal, globals);
    })(),
  );
}
