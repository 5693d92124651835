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
        "read a service's database: sqlite:PATH or postgres://USER@HOST:5432/NAME; without an address IPO_DATABASE",
      ),
    )
    .addOption(
      new Option(
        '--server [url]',
        'ask a service (default); without an address IPO_SERVER, else the one signed in to last',
      ),
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
