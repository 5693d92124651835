import { Command, Option } from 'commander';
import type { ServiceFlags } from '../../service/index.ts';
import { outputOption } from '../../terminal/output-option.ts';

/** MatrixOptions are the flags of `ipo whatif matrix`. */
export interface MatrixOptions extends Omit<ServiceFlags, 'server'> {
  readonly ledger?: string;
  readonly server?: string | true;
  readonly base?: string;
  readonly days: string;
  readonly asOf?: string;
  readonly output?: readonly string[];
}

/** withAdviceFlags gives a command the flags that say over which ledger advice is given. */
export function withAdviceFlags(command: Command): Command {
  return command
    .addOption(
      new Option('-l, --ledger <file>', 'ledger export (.ndjson, .ndjson.gz, .ndjson.zst); - is stdin'),
    )
    .addOption(
      new Option(
        '--server [url]',
        'use the ledger of a service (default address: IPO_SERVER, then the last sign-in)',
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
    )
    .addOption(new Option('-d, --days <n>', 'number of days to look back, 1 to 90').default('90'))
    .addOption(
      new Option('--as-of <time>', 'end of the period, RFC 3339 (default: time of the export, or now)'),
    );
}

/** matrixCommand defines `ipo whatif matrix` but for what it does. */
export function matrixCommand(): Command {
  return withAdviceFlags(new Command('matrix'))
    .summary('try each value of each policy field by itself')
    .description(
      'Try each value of each field by itself over recorded admissions, and show how many admissions, workloads and images it would deny or allow. Values that deny nothing come first.',
    )
    .addOption(
      new Option(
        '--base <policy>',
        'policy file on which each value is tried (default: a policy that denies nothing)',
      ),
    )
    .addOption(outputOption('table, json, markdown or html'));
}
