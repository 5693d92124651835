import { type Command, Option } from 'commander';

/** ServiceFlags say which service a command calls, and as whom. */
export interface ServiceFlags {
  readonly server?: string;
  readonly tokenStdin?: true;
  readonly ca?: string;
}

/** withServiceFlags gives a command the flags of every command that calls a service. */
export function withServiceFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--server <url>', 'the service to call; else IPO_SERVER, else the one signed in to last'),
    )
    .addOption(
      new Option(
        '--token-stdin',
        'read the token from stdin; else IPO_TOKEN, else the one kept by ipo login',
      ),
    )
    .addOption(
      new Option('--ca <file>', 'PEM file of the authority that signed its certificate; else IPO_CA'),
    );
}
