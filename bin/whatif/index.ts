/**
 * `ipo whatif`: what a draft would have changed, asked of an export, a database or a service, and the runs that a service keeps.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { isDirectory } from '../files/is-directory.ts';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { matrixCommand, type MatrixOptions } from './matrix/index.ts';
import type { WhatIfOptions } from './options.ts';
import { given } from './given.ts';
import type { RunListOptions, RunShowOptions, RunDownloadOptions } from './runs.ts';

const ANSWER = 'table, json, yaml, markdown, html, sarif, junit or github';

/** listed is `ipo whatif` in the help. */
export const listed: Listed = {
  name: 'whatif',
  summary: 'replay a draft policy over recorded admissions',
  group: 'Policies and decisions:',
  place: 1,
  answers: [
    [
      'What would this draft policy have denied or allowed?',
      '`ipo whatif POLICY --ledger EXPORT`, or `--server` for the live ledger',
    ],
  ],
  examples: [
    'ipo whatif draft.yaml --ledger ledger.ndjson.zst',
    'ipo whatif draft.yaml --server https://ipo.example.com --keep',
    'ipo whatif draft.yaml -l ledger.ndjson.zst --fail-on would_deny=10 -o markdown=comment.md -o sarif=whatif.sarif',
    'ipo whatif policies/ --ledger ledger.ndjson.zst -o markdown=comment-{policy}.md',
    'ipo whatif policies/ --server https://ipo.example.com',
    'ipo whatif --self-check --ledger ledger.ndjson.zst',
    'ipo whatif matrix --ledger ledger.ndjson.zst --base policy.yaml',
    'ipo whatif matrix -l ledger.ndjson.zst -o html=matrix.html',
    'ipo whatif list --policy shop',
    'ipo whatif show mfrggzdfmztwq2lk',
    'ipo whatif show mfrggzdfmztwq2lk --draft | ipo policy apply - -y',
    'ipo whatif download mfrggzdfmztwq2lk -o pdf=run.pdf',
  ],
  define: whatifCommand,
};

/** whatifCommand defines `ipo whatif` and what stands below it. */
function whatifCommand(settle: Settle): Command {
  const command = new Command('whatif')
    .description(
      'Replay the recorded admissions of the last 30 days under a draft policy, and show what would have changed. The cluster and its policies stay as they are.',
    )
    .argument(
      '[policy...]',
      'policy file (YAML or JSON) with one draft; - is stdin. With several files or directories, the command replays each policy by itself, then all of them together',
    )
    .addOption(
      new Option('-l, --ledger <file>', 'ledger export (.ndjson, .ndjson.gz, .ndjson.zst); - is stdin'),
    )
    .addOption(
      new Option('--server [url]', 'call a service (default address: IPO_SERVER, then the last sign-in)'),
    )
    .addOption(
      new Option(
        '--database <url>',
        'read the database of a service: sqlite:PATH or postgres://USER@HOST:5432/NAME',
      ),
    )
    .addOption(new Option('-d, --days <n>', 'number of days to look back, 1 to 90').default('30'))
    .addOption(new Option('--limit <n>', 'replay at most the newest N rows; 0 replays all').default('5000'))
    .addOption(new Option('-s, --source <name>', 'compare only with this policy in effect, which you edited'))
    .addOption(
      new Option('--as-of <time>', 'end of the period, RFC 3339 (default: time of the export, or now)'),
    )
    .addOption(
      new Option(
        '--cold-image-policy <timing>',
        'with --database: the value that the service has for webhook.coldImagePolicy; it decides on images without a scan record if the draft has no admissionTiming (default: AllowAndScan)',
      ).choices(['AllowAndScan', 'DenyUntilScanned']),
    )
    .addOption(new Option('--keep', 'store the run in the service (deployers and administrators)'))
    .addOption(failOnOption())
    .addOption(strictOption())
    .addOption(
      new Option(
        '--self-check',
        'replay each row under the policy revision that decided it, without a draft',
      ),
    )
    .addOption(allOption())
    .addOption(outputOption(ANSWER))
    .addOption(
      new Option(
        '--token-stdin',
        'read the token from stdin (default: IPO_TOKEN, then the token of ipo login)',
      ),
    )
    .addOption(
      new Option('--ca <file>', 'PEM file of the certificate authority of the service (default: IPO_CA)'),
    );
  for (const define of [matrixOf, listCommand, showCommand, downloadCommand])
    command.addCommand(define(settle, command));
  return command.action((policies: readonly string[]) =>
    settle(async (terminal, globals) => {
      const options = command.opts<WhatIfOptions>();
      const [policy] = policies;
      if (policy !== undefined && (policies.length > 1 || isDirectory(policy))) {
        const { runSeveral } = await import('./several.ts');
        return runSeveral(policies, options, terminal, globals);
      }
      if (options.ledger !== undefined) {
        const { runWhatIf } = await import('./run.ts');
        return runWhatIf(policy, options, terminal, globals);
      }
      if (options.database !== undefined) {
        const { runWhatIfOnDatabase } = await import('./database.ts');
        return runWhatIfOnDatabase(policy, options, terminal, globals);
      }
      const { runWhatIfOnServer } = await import('./server.ts');
      return runWhatIfOnServer(policy, options, terminal, globals);
    })(),
  );
}

function matrixOf(settle: Settle, above: Command): Command {
  const command = matrixCommand();
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runMatrix } = await import('./matrix/run.ts');
      return runMatrix(given<MatrixOptions>(command, above), terminal, globals);
    })(),
  );
}

function listCommand(settle: Settle, above: Command): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list the stored runs of a service')
    .description('List the stored runs, newest first. The newest 500 runs are stored, each for 90 days.')
    .addOption(new Option('--policy <name>', 'runs of drafts with this name'))
    .addOption(new Option('--from <time>', 'runs since this time (RFC 3339)'))
    .addOption(new Option('--to <time>', 'runs until this time, inclusive (RFC 3339)'))
    .addOption(new Option('--limit <n>', 'maximum number of runs (default: all)'))
    .addOption(new Option('--offset <n>', 'number of newest runs to skip'))
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal) => {
      const { runList } = await import('./runs.ts');
      return runList(given<RunListOptions>(command, above), terminal);
    })(),
  );
}

function showCommand(settle: Settle, above: Command): Command {
  const command = withServiceFlags(new Command('show'))
    .summary('show a stored run')
    .description('Show the original answer of a stored run, or its draft.')
    .argument('<run>', 'ID of the run')
    .addOption(new Option('--draft', 'print the draft (YAML) instead, ready for `ipo policy apply -`'))
    .addOption(allOption())
    .addOption(outputOption(ANSWER));
  return command.action((run: string) =>
    settle(async (terminal, globals) => {
      const { runShow } = await import('./runs.ts');
      return runShow(run, given<RunShowOptions>(command, above), terminal, globals);
    })(),
  );
}

function downloadCommand(settle: Settle, above: Command): Command {
  const command = withServiceFlags(new Command('download'))
    .summary('download a stored run as PDF or JSON')
    .description('Write a stored run to a file. The audit log records each download.')
    .argument('<run>', 'ID of the run')
    .addOption(
      outputOption(
        'pdf or json, or a file with that ending; - is stdout (JSON only)',
        'pdf=whatif-RUN.pdf, which must not exist',
      ),
    )
    .addOption(new Option('--format <format>', 'pdf or json').choices(['pdf', 'json']).hideHelp());
  return command.action((run: string) =>
    settle(async (terminal, globals) => {
      const { runDownload } = await import('./runs.ts');
      return runDownload(run, given<RunDownloadOptions>(command, above), terminal, globals);
    })(),
  );
}

/** failOnOption is `--fail-on` of every command that gives a what-if. */
export function failOnOption(): Option {
  return new Option(
    '--fail-on <check>',
    'write CHECK=N: exit 1 when more than N rows (default 0) match CHECK, which is would_deny, would_allow, edit_would_deny, edit_would_allow (only the effect of the edit) or a denial label; repeatable',
  ).argParser(collect);
}

/** allOption is `--all` of every command that gives a what-if. */
export function allOption(): Option {
  return new Option('--all', 'show all workloads, images and notes in the table');
}

/** strictOption is `--strict` of every command that gives a what-if. */
export function strictOption(): Option {
  return new Option(
    '--strict',
    'exit 5 when rows cannot be decided, --limit left out rows, or no row in the period is in a namespace of the policy',
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
