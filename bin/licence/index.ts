/**
 * `ipo licence`: certificates of ceilings: issuing, checking and activating them.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { LicenceOptions, LicenceRequestOptions } from './verbs.ts';
import type { LicenceKeygenOptions, LicenceIssueOptions } from './issue.ts';
import type { LicenceCheckOptions } from './check.ts';

/** listed is `ipo licence` in the help. */
export const listed: Listed = {
  name: 'licence',
  summary: 'issue, check and activate the licence certificates that set limits for a cluster',
  group: 'The service:',
  place: 8,
  examples: [
    'ipo licence show',
    'ipo licence request --out request.json',
    'ipo licence keygen --name acme --out licence-key.pem',
    'ipo licence issue --key licence-key.pem --name acme --request request.json --customer acme --nodes 20 --out licence.txt',
    'ipo licence check licence.txt --server',
    'ipo licence activate licence.txt',
    'ipo licence deactivate --yes',
  ],
  define: licenceCommand,
};

/** licenceCommand defines `ipo licence` and what stands below it. */
function licenceCommand(settle: Settle): Command {
  const licence = new Command('licence').description(
    'Issue, check and activate licence certificates. A certificate sets ceilings of nodes and image names for one cluster, and nothing else: without one there is no ceiling.',
  );
  for (const define of [show, keygen, request, issue, check, activate, deactivate])
    licence.addCommand(define(settle));
  return licence;
}

function show(settle: Settle): Command {
  const command = withServiceFlags(new Command('show'))
    .summary('show the certificate of a service, its ceilings and what is used of them')
    .description(
      'Show the certificate that is active, its ceilings, what is used of them, and what to know about it.',
    )
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runLicenceShow } = await import('./verbs.ts');
      return runLicenceShow(command.opts<LicenceOptions>(), terminal);
    }),
  );
}

function request(settle: Settle): Command {
  const command = withServiceFlags(new Command('request'))
    .summary('make an activation request, which a certificate is issued for')
    .description(
      'Make an activation request with the id of the cluster. From then on, the service rejects a certificate for an earlier request.',
    )
    .addOption(new Option('--out <file>', 'file for the request; stdout without it'))
    .addOption(outputOption('json', 'json'));
  return command.action(
    settle(async (terminal) => {
      const { runLicenceRequest } = await import('./verbs.ts');
      return runLicenceRequest(command.opts<LicenceRequestOptions>(), terminal);
    }),
  );
}

function activate(settle: Settle): Command {
  const command = withServiceFlags(new Command('activate'))
    .summary('activate a certificate from a file or from the licence service')
    .description(
      'Activate a certificate. Without a file, the service fetches one now, from the licence service at its setting licence.url.',
    )
    .argument('[file]', 'certificate; - is stdin')
    .addOption(outputOption());
  return command.action((file: string | undefined) =>
    settle(async (terminal) => {
      const { runLicenceActivate } = await import('./verbs.ts');
      return runLicenceActivate(file, command.opts<LicenceOptions>(), terminal);
    })(),
  );
}

function deactivate(settle: Settle): Command {
  const command = withServiceFlags(new Command('deactivate'))
    .summary('remove the certificate and its ceilings')
    .description('Remove the certificate. From then on there is no ceiling.')
    .addOption(new Option('-y, --yes', 'do it without asking'))
    .addOption(outputOption());
  return command.action(
    settle(async (terminal, globals) => {
      const { runLicenceDeactivate } = await import('./verbs.ts');
      return runLicenceDeactivate(command.opts<LicenceOptions & { yes?: true }>(), terminal, globals);
    }),
  );
}

function check(settle: Settle): Command {
  const many = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  const command = new Command('check')
    .summary('check a certificate before it is activated, and what its ceiling would have denied')
    .description(
      'Report each reason for which the service would reject a certificate, without uploading the certificate. With --ledger, also list the image names that its ceiling would have denied in a month. Exit 1 when the certificate would be rejected.',
    )
    .argument('<file>', 'certificate; - is stdin')
    .addOption(
      new Option('--public-key <key>', 'key that may sign, as keygen prints it; repeatable').argParser(many),
    )
    .addOption(new Option('--request <file>', 'activation request that the certificate must answer'))
    .addOption(
      new Option('--cluster-id <uid>', 'id of the cluster that the certificate must be for').conflicts(
        'request',
      ),
    )
    .addOption(
      new Option('-l, --ledger <file>', 'ledger export over which the ceiling is replayed; - is stdin'),
    )
    .addOption(new Option('--month <yyyy-mm>', 'month of the replay (default: the last whole one)'))
    .addOption(outputOption());
  command.optionsGroup('Service:');
  command
    .addOption(
      new Option(
        '--server [url]',
        'check against this service, and replay over its ledger (default address: IPO_SERVER, then the last sign-in)',
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
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runLicenceCheck } = await import('./check.ts');
      return runLicenceCheck(file, command.opts<LicenceCheckOptions>(), terminal, globals);
    })(),
  );
}

function keygen(settle: Settle): Command {
  const command = new Command('keygen')
    .summary('make a key that signs certificates')
    .description(
      'Make an Ed25519 key that signs certificates: the private key into a new file, the public one to stdout, for the setting licence.publicKeys.',
    )
    .addOption(
      new Option('--name <name>', 'name of the key, such as the name of your company').default('licence'),
    )
    .requiredOption('--out <file>', 'new file for the private key')
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runLicenceKeygen } = await import('./issue.ts');
      return runLicenceKeygen(command.opts<LicenceKeygenOptions>(), terminal);
    }),
  );
}

function issue(settle: Settle): Command {
  const command = new Command('issue')
    .summary('issue a certificate for an activation request')
    .description('Sign a certificate for the cluster of an activation request. Works offline.')
    .requiredOption('--key <file>', 'private key that keygen made')
    .addOption(new Option('--name <name>', 'name of the key, as it was given to keygen').default('licence'))
    .requiredOption('--request <file>', 'activation request; - is stdin')
    .requiredOption('--customer <name>', 'customer that the certificate is issued to')
    .addOption(
      new Option(
        '--key-id <id>',
        'id of the setting licence.key of the service, as ipo licence show -o json prints it; not the id of the signing key',
      ).default('offline'),
    )
    .addOption(new Option('--nodes <n>', 'ceiling of ready nodes, or none for no ceiling').default('none'))
    .addOption(
      new Option(
        '--image-names <n>',
        'ceiling of image names (host/path) that are admitted in a month, or none',
      ).default('none'),
    )
    .addOption(
      new Option(
        '--clusters <n>',
        'clusters that may report to the service, or none; more of them only lead to a warning',
      ).default('none'),
    )
    .addOption(new Option('--days <n>', 'days until the certificate ends; 0 for no end').default('365'))
    .addOption(new Option('--out <file>', 'file for the certificate; stdout without it'))
    .addOption(outputOption('table (the certificate itself), json or yaml'));
  return command.action(
    settle(async (terminal) => {
      const { runLicenceIssue } = await import('./issue.ts');
      return runLicenceIssue(command.opts<LicenceIssueOptions>(), terminal);
    }),
  );
}
