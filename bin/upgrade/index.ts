/**
 * `ipo upgrade`: what the way to another release asks for.
 * It uses `files`, `release` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { UpgradePlanOptions } from './plan.ts';

/** listed is `ipo upgrade` in the help. */
export const listed: Listed = {
  name: 'upgrade',
  summary: 'plan the upgrade of a service to another release',
  group: 'The service:',
  place: 7,
  examples: [
    'ipo upgrade plan --from 1.1.1 -f values.yaml',
    'ipo upgrade plan --to 1.3.7 --database sqlite:/var/lib/ipo/ipo.db',
    'ipo upgrade plan --from 1.3.1 -o markdown > change.md',
  ],
  define: upgradeCommand,
};

/** upgradeCommand defines `ipo upgrade` and what stands below it. */
function upgradeCommand(settle: Settle): Command {
  return new Command('upgrade')
    .description('Plan the upgrade of a service to another release.')
    .addCommand(plan(settle));
}

function plan(settle: Settle): Command {
  const command = new Command('plan')
    .summary('show what an upgrade does, and what to change before it')
    .description(
      'Show the migrations that an upgrade runs, chart values and stored documents to change before it, the backup to make and the command to run. It changes nothing. Exit 1 when the upgrade goes back to an earlier release, or when the new release would reject a stored document.',
    )
    .addOption(new Option('--to <version>', 'release to upgrade to (default: the newest)'))
    .addOption(
      new Option(
        '--from <version>',
        'release that runs now (default: that of the newest migration in the database)',
      ),
    )
    .addOption(
      new Option('-f, --values <file>', 'values of your chart (YAML or JSON), to be checked; - is stdin'),
    )
    .addOption(
      new Option(
        '--database <url>',
        'database to be checked, sqlite:PATH or postgres://USER@HOST:5432/NAME (default: IPO_DATABASE, then IPO_DATABASE_URL)',
      ),
    )
    .addOption(
      new Option('--release <name>', 'name of the Helm release in the printed command').default(
        'image-policy-operator',
      ),
    )
    .addOption(
      new Option('--namespace <name>', 'namespace of the Helm release in the printed command').default(
        'image-policy-operator',
      ),
    )
    .addOption(
      new Option(
        '--registry <host>',
        'registry of the chart in the printed command; REGISTRY is a placeholder',
      ).default('REGISTRY'),
    )
    .addOption(outputOption('table, json, yaml or markdown'));
  return command.action(
    settle(async (terminal) => {
      const { runUpgradePlan } = await import('./plan.ts');
      return runUpgradePlan(command.opts<UpgradePlanOptions>(), terminal);
    }),
  );
}
