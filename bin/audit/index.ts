/**
 * `ipo audit`: what people and pipelines did at the service.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags, type ServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';

/** AuditOptions are the flags of `ipo audit`. */
export interface AuditOptions extends ServiceFlags {
  readonly from?: string;
  readonly to?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly target?: string;
  readonly limit?: string;
  readonly offset?: string;
  readonly output: readonly string[];
}

/** listed is `ipo audit` in the help. */
export const listed: Listed = {
  name: 'audit',
  summary: 'list who did what: the audit log',
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
      'Shows what people and pipelines did at the service, newest first: the last 31 days unless a period is given.',
    )
    .addOption(
      new Option('--from <time>', 'entries from this time on: 2026-11-20T06:00:00Z, or a day, 2026-11-20'),
    )
    .addOption(new Option('--to <time>', 'entries until this time; a day is meant to its end'))
    .addOption(wordOption('--action <action>', 'entries of this kind, such as policy_update'))
    .addOption(
      new Option('--actor <who>', 'what this account did: its id, or its name as it stands in the log'),
    )
    .addOption(new Option('--target <what>', 'what was done to this, such as the name of a policy'))
    .addOption(new Option('--limit <n>', 'at most so many entries; 100 without it'))
    .addOption(new Option('--offset <n>', 'leave so many out first'))
    .addOption(outputOption('table, json, yaml or csv (the whole period)'));
  return command.action(
    settle(async (terminal, globals) => {
      const { runAudit } = await import('./run.ts');
      return runAudit(command.opts<AuditOptions>(), terminal, globals);
    }),
  );
}
