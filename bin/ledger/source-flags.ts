import { Option, type Command } from 'commander';
import type { ServiceFlags } from '../service/flags.ts';

/** LedgerFlags say where a command finds the ledger. */
export interface LedgerFlags extends Omit<ServiceFlags, 'server'> {
  readonly ledger?: string;
  /** True when it is given without an address. */
  readonly database?: string | true;
  /** True when it is given without an address. */
  readonly server?: string | true;
}

/** withLedgerFlags gives a command the flags that say where the ledger is; `file` leaves out the one of an export. */
export function withLedgerFlags(command: Command, file = true): Command {
  if (file)
    command.addOption(
      new Option('-l, --ledger <file>', 'ledger export (.ndjson, .ndjson.gz, .ndjson.zst); - is stdin'),
    );
  return command
    .addOption(
      new Option(
        '--database [url]',
        'read the database of a service: sqlite:PATH or postgres://USER@HOST:5432/NAME (default address: IPO_DATABASE, then IPO_DATABASE_URL)',
      ),
    )
    .addOption(
      new Option(
        '--server [url]',
        'call a service, the default source (default address: IPO_SERVER, then the last sign-in)',
      ),
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
