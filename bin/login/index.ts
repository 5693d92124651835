/**
 * `ipo login`: a session with a service.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { LoginOptions } from './run.ts';

/** listed is `ipo login` in the help. */
export const listed: Listed = {
  name: 'login',
  summary: 'sign in to a service',
  group: 'Accounts:',
  place: 1,
  examples: [
    'ipo login ipo.example.com',
    'ipo login ipo.example.com --oidc',
    `printf '%s' "$PASSWORD" | ipo login ipo.example.com --email ci@example.com --password-stdin`,
  ],
  define: loginCommand,
};

/** loginCommand defines `ipo login`. */
function loginCommand(settle: Settle): Command {
  const command = new Command('login')
    .description(
      'Sign in, and store the session in a file that only you can read, for all commands that call this service.',
    )
    .argument('[server]', 'address of the service (default: IPO_SERVER, then the last sign-in)')
    .addOption(new Option('--email <address>', 'e-mail address of the account (default: ask)'))
    .addOption(new Option('--password-stdin', 'read the password from stdin instead of asking'))
    .addOption(new Option('--oidc', 'sign in through the identity provider, in a browser'))
    .addOption(new Option('--code', 'set a password with a one-time code from an administrator'))
    .addOption(
      new Option('--setup', 'create the first administrator, with the code from the log of the service'),
    )
    .addOption(new Option('--token-stdin', 'store an API token read from stdin'))
    .addOption(
      new Option('--ca <file>', 'PEM file of the certificate authority of the service (default: IPO_CA)'),
    );
  return command.action((server: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runLogin } = await import('./run.ts');
      return runLogin(server, command.opts<LoginOptions>(), terminal, globals);
    })(),
  );
}
