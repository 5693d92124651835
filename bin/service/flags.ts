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
      new Option('--server <url>', 'address of the service (default: IPO_SERVER, then the last sign-in)'),
    )
    .addOption(
      new Option(
        '--token-stdin',
        'read the token from stdin (default: IPO_TOKEN, then the token of ipo login)',
      ),
    )
    .addOption(
      new Option('--ca <file>', 'PEM file of the certificate authority of the service (default: IPO_CA)'),
    );
}
