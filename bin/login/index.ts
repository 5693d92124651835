/**
 * `ipo login`: a session with a service.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';

/** LoginOptions are the flags of `ipo login` as commander gives them. */
export interface LoginOptions {
  readonly email?: string;
  readonly passwordStdin?: true;
  readonly tokenStdin?: true;
  readonly oidc?: true;
  readonly code?: true;
  readonly setup?: true;
  readonly ca?: string;
}

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
      'Signs in and keeps the session in a file that only you can read, for all commands that call this service.',
    )
    .argument('[server]', 'address of the service; else IPO_SERVER, else the one signed in to last')
    .addOption(new Option('--email <address>', 'who signs in; asked for without it'))
    .addOption(new Option('--password-stdin', 'read the password from stdin instead of asking'))
    .addOption(new Option('--oidc', 'sign in at the identity provider, in a browser'))
    .addOption(new Option('--code', 'set a password with a one-time code of an administrator'))
    .addOption(
      new Option('--setup', 'make the first administrator, with the code from the log of the service'),
    )
    .addOption(new Option('--token-stdin', 'keep an API token that is read from stdin'))
    .addOption(
      new Option('--ca <file>', 'PEM file of the authority that signed its certificate; else IPO_CA'),
    );
  return command.action((server: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runLogin } = await import('./run.ts');
      return runLogin(server, command.opts<LoginOptions>(), terminal, globals);
    })(),
  );
}
