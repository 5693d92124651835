/**
 * `ipo migrate`: a database brought to this release.
 * It uses `files` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { MigrateOptions } from './run.ts';

/** listed is `ipo migrate` in the help. */
export const listed: Listed = {
  name: 'migrate',
  summary: 'migrate the database of the service to this release',
  group: 'The service:',
  place: 4,
  examples: [
    'ipo migrate --plan --database sqlite:/var/lib/ipo/ipo.db',
    'IPO_DATABASE=postgres://ipo@db.example.com/ipo ipo migrate',
    'ipo migrate --plan -o json | jq .due',
  ],
  define: migrateCommand,
};

/** migrateCommand defines `ipo migrate`. */
function migrateCommand(settle: Settle): Command {
  const command = new Command('migrate')
    .description(
      'Apply the migrations that a database lacks, each whole or not at all, under a lock of the database. ' +
        'The service does the same when it starts. There is no downgrade: make a backup first.',
    )
    .addOption(new Option('--plan', 'show applied and pending migrations, and write nothing'))
    .addOption(
      new Option(
        '--database <url>',
        'sqlite:PATH or postgres://USER@HOST:5432/NAME (default: IPO_DATABASE, then IPO_DATABASE_URL)',
      ),
    )
    .addOption(outputOption());
  return command.action(
    settle(async (terminal, globals) => {
      const { runMigrate } = await import('./run.ts');
      return runMigrate(command.opts<MigrateOptions>(), terminal, globals);
    }),
  );
}
