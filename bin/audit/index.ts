/**
 * `ipo audit`: what people and pipelines did at the service.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import type { AuditOptions } from './run.ts';

/** listed is `ipo audit` in the help. */
export const listed: Listed = {
  name: 'audit',
  summary: 'list the audit log: who did what',
  group: 'What was decided:',
  place: 2,
  examples: [
    'ipo audit --limit 20',
    'ipo audit --action sign_in_failed',
    'ipo audit --from 2026-10-01 --to 2026-10-31 -o csv=october.csv',
  ],
  define: auditCommand,
};

/** auditCommand defines `ipo audit`. */
function auditCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('audit'))
    .description(
      'List what people and pipelines did at the service, newest first. The default period is the last 31 days.',
    )
    .addOption(
      new Option('--from <time>', 'entries since this time: 2026-11-20T06:00:00Z, or a day, 2026-11-20'),
    )
    .addOption(new Option('--to <time>', 'entries until this time; a day counts to its end'))
    .addOption(wordOption('--action <action>', 'entries of this kind, such as policy_update'))
    .addOption(
      new Option('--actor <who>', 'entries by this account: its ID, or its name as the log shows it'),
    )
    .addOption(new Option('--target <what>', 'entries about this target, such as the name of a policy'))
    .addOption(new Option('--limit <n>', 'maximum number of entries (default: 100)'))
    .addOption(new Option('--offset <n>', 'number of entries to skip'))
    .addOption(outputOption('table, json, yaml or csv (the whole period)'));
  return command.action(
    settle(async (terminal, globals) => {
      const { runAudit } = await import('./run.ts');
      return runAudit(command.opts<AuditOptions>(), terminal, globals);
    }),
  );
}
