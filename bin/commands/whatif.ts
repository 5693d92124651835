import { Command, Option } from 'commander';
import type { Settle } from '../ui/settle.ts';

/** WhatIfOptions are the flags of `ipo whatif` as commander gives them. */
export interface WhatIfOptions {
  readonly ledger?: string;
  readonly days: string;
  readonly limit: string;
  readonly source?: string;
  readonly asOf?: string;
  readonly failOn?: readonly string[];
  readonly strict?: true;
  readonly selfCheck?: true;
  readonly output?: readonly string[];
}

/** whatifCommand defines `ipo whatif`. */
export function whatifCommand(settle: Settle): Command {
  const command = new Command('whatif')
    .summary('what would a draft policy have changed?')
    .description(
      'Decides the recorded admissions of the last days again under a draft policy and reports what would have changed. Writes nothing.',
    )
    .argument('[policy]', 'policy file (YAML or JSON) with the one draft; - is stdin')
    .addOption(
      new Option('-l, --ledger <file>', 'ledger export (.ndjson, .ndjson.gz, .ndjson.zst); - is stdin'),
    )
    .addOption(new Option('-d, --days <n>', 'how far to look back, 1 to 90').default('30'))
    .addOption(new Option('--limit <n>', 'decide at most the newest n rows; 0 is all').default('5000'))
    .addOption(new Option('-s, --source <name>', 'policy in force that the draft was edited from'))
    .addOption(
      new Option('--as-of <time>', 'end of the period (RFC 3339), instead of when the export was made'),
    )
    .addOption(
      new Option(
        '--fail-on <check>',
        'exit 1 when would_deny, would_allow, edit_would_deny, edit_would_allow (what the edit itself does, new scans left out) or a denial label counts above =N (default 0); repeatable',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--strict',
        'exit 5 when no row was covered, rows were left out, or rows could not be decided',
      ),
    )
    .addOption(
      new Option('--self-check', 'replay each row under the revision that decided it, without a draft'),
    )
    .addOption(
      new Option(
        '-o, --output <format[=path]>',
        'table, json, yaml, markdown, html, sarif, junit or github; repeatable (default: table)',
      ).argParser(collect),
    );
  return command.action((policy: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runWhatIf } = await import('../run/whatif.ts');
      return runWhatIf(policy, command.opts<WhatIfOptions>(), terminal, globals);
    })(),
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
