/**
 * `ipo config`: the configuration of a service as one file: exported, compared and imported.
 * It uses `policy`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { ConfigExportOptions } from './export.ts';
import type { ConfigImportOptions } from './import.ts';

/** listed is `ipo config` in the help. */
export const listed: Listed = {
  name: 'config',
  summary: 'export the configuration of a service, compare it with a file, and import it',
  group: 'The service:',
  place: 10,
  examples: [
    'ipo config export -o yaml=ipo.yaml',
    'ipo config import ipo.yaml --dry-run',
    'ipo config import ipo.yaml --prune --yes',
  ],
  define: configCommand,
};

/** configCommand defines `ipo config` and what stands below it. */
function configCommand(settle: Settle): Command {
  const config = new Command('config').description(
    'Export the policies, channels and other objects of a service as one YAML stream, compare it with the service, and import it.',
  );
  for (const define of [exportCommand, importCommand]) config.addCommand(define(settle));
  return config;
}

function exportCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('export'))
    .summary('write the configuration as one YAML stream')
    .description(
      'Write the configuration as one YAML stream: sorted, without times and secrets. Two exports of the same configuration are equal.',
    )
    .addOption(outputOption('yaml or json', 'yaml'));
  return command.action(
    settle(async (terminal) => {
      const { runConfigExport } = await import('./export.ts');
      return runConfigExport(command.opts<ConfigExportOptions>(), terminal);
    }),
  );
}

function importCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('import'))
    .summary('show how a configuration differs from the service, and import it')
    .description(
      'Show how a configuration differs from the service, with the what-if of each changed policy, and import it once you confirm. ' +
        'Objects in the database are written in one transaction. Importing twice changes nothing.',
    )
    .argument('<file>', 'configuration as ipo config export writes it; - is stdin')
    .addOption(new Option('--dry-run', 'only show the difference; exit 1 when there is one'))
    .addOption(
      new Option(
        '--prune',
        'also delete objects that the file does not have, of the kinds that its document Configuration lists as complete',
      ),
    )
    .addOption(new Option('-y, --yes', 'import without asking').conflicts('dryRun'))
    .addOption(new Option('--no-whatif', 'leave the what-if of changed policies out'))
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runConfigImport } = await import('./import.ts');
      return runConfigImport(file, command.opts<ConfigImportOptions>(), terminal, globals);
    })(),
  );
}
