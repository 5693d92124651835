/**
 * `ipo ledger`: recorded admissions listed, exported, verified and proved, from an export, a database or a service.
 * It uses `check`, `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import type {
  LedgerExportOptions,
  LedgerVerifyOptions,
  LedgerProveOptions,
  LedgerCheckpointOptions,
  LedgerListOptions,
  LedgerPutBackOptions,
  LedgerAcceptClockOptions,
} from './options.ts';
import { withLedgerFlags } from './source-flags.ts';
import { recordCommand } from './record/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';

/** listed is `ipo ledger` in the help. */
export const listed: Listed = {
  name: 'ledger',
  summary: 'list, export, record, verify and prove admissions',
  group: 'What was decided:',
  place: 1,
  answers: [
    [
      'What was decided, and can I prove it?',
      '`ipo ledger list`, `ipo ledger verify`, `ipo ledger prove ROW`',
    ],
  ],
  examples: [
    'ipo ledger list --refused --days 7',
    'ipo ledger list --image web --limit 5 -o json',
    'ipo ledger export -o ledger.ndjson.zst',
    'ipo ledger export --days 30 -o ndjson.gz=ledger.ndjson.gz',
    'ipo ledger record -o cluster.ndjson.gz',
    'kubectl get pods,services,ingresses -A -o json | ipo ledger record --pods - -o cluster.ndjson.gz',
    'ipo ledger record --audit /var/log/kubernetes/audit.log --trivy reports/ -o audit.ndjson.gz',
    'ipo ledger verify -l ledger.ndjson.zst --checkpoint checkpoint.txt',
    'ipo ledger verify --proof row-4711.tlog-proof --checkpoint checkpoint.txt',
    'ipo ledger prove 4711 -o row-4711.tlog-proof',
    'ipo ledger checkpoint --save checkpoint.txt',
    'ipo ledger checkpoint --verify',
    'ipo ledger put-back /mnt/data-ipo-2/spool --database postgres://ipo@db:5432/ipo',
    'ipo ledger accept-clock --database sqlite:/var/lib/ipo/ipo.db',
  ],
  define: ledgerCommand,
};

/** ledgerCommand defines `ipo ledger` and what stands below it. */
function ledgerCommand(settle: Settle): Command {
  const ledger = new Command('ledger').description(
    'The ledger of admissions: list its rows, export them, verify that nothing was changed, and prove single rows. Listing, verifying and proving work offline on an export.',
  );
  for (const define of [
    listCommand,
    exportCommand,
    recordCommand,
    verifyCommand,
    proveCommand,
    checkpointCommand,
    putBackCommand,
    acceptClockCommand,
  ])
    ledger.addCommand(define(settle));
  return ledger;
}

function listCommand(settle: Settle): Command {
  const command = withLedgerFlags(new Command('list'))
    .summary('list recorded decisions, newest first')
    .description('Lists rows of the ledger, newest first.')
    .addOption(new Option('-n, --namespace <name>', 'rows of this namespace'))
    .addOption(new Option('--image <part>', 'rows whose image holds this text, whatever the case'))
    .addOption(new Option('--digest <digest>', 'rows of this digest'))
    .addOption(wordOption('--label <label>', 'rows refused (or audited) with this label'))
    .addOption(new Option('--policy <name>', 'rows decided by this policy'))
    .addOption(new Option('--refused', 'refused rows alone'))
    .addOption(new Option('--break-glass', 'rows that bypassed the policies alone'));
  return withPeriod(command)
    .addOption(new Option('--limit <n>', 'at most so many, 1 to 10000').default('20'))
    .addOption(new Option('--offset <n>', 'leave so many of the newest out').default('0'))
    .addOption(outputOption('table, json, yaml or ndjson'))
    .action(() =>
      settle(async (terminal, globals) => {
        const { runLedgerList } = await import('./list.ts');
        return runLedgerList(command.opts<LedgerListOptions>(), terminal, globals);
      })(),
    );
}

function exportCommand(settle: Settle): Command {
  const command = withLedgerFlags(new Command('export'), false)
    .summary('export the ledger, or a period of it, to a file')
    .description(
      'Writes rows, policies and facts as NDJSON, with the signed checkpoint and what proves the rows to stand in it. A file is there in full or not at all.',
    )
    .addOption(
      outputOption(
        'ndjson, ndjson.gz or ndjson.zst, or a file whose name ends so; - is stdout',
        'ndjson on stdout, if that is no terminal',
      ),
    )
    .addOption(new Option('--force', 'overwrite the file if it is there'));
  return withPeriod(command)
    .addOption(
      new Option(
        '--cold-image-policy <timing>',
        "with --database: for images without a scan (the service's setting)",
      )
        .choices(['AllowAndScan', 'DenyUntilScanned'])
        .default('AllowAndScan'),
    )
    .addOption(new Option('--cluster <name>', 'with --database: name of the cluster, for the header'))
    .action(() =>
      settle(async (terminal, globals) => {
        const { runLedgerExport } = await import('./export.ts');
        return runLedgerExport(command.opts<LedgerExportOptions>(), terminal, globals);
      })(),
    );
}

function verifyCommand(settle: Settle): Command {
  const command = withLedgerFlags(new Command('verify'))
    .summary('verify that no recorded row was changed')
    .description(
      'Verifies that the ledger is what was signed, and names the first row that is not. Given a checkpoint that was kept elsewhere, every change to history before it is found. Exit 4 when verification failed, 1 when nothing is signed.',
    )
    .addOption(new Option('--proof <file>', 'verify a .tlog-proof instead; - is stdin'))
    .addOption(many('--key <vkey>', "verifier's key of the log, or a file that holds it; repeatable"))
    .addOption(
      many(
        '--checkpoint <file>',
        'checkpoint that was kept elsewhere: a note, several, a .tlog-proof or an earlier export; repeatable',
      ),
    )
    .addOption(
      new Option(
        '-d, --days <n>',
        'with a service: the rows of the last n days; what lies before is proved to be as it was',
      ),
    )
    .addOption(
      new Option(
        '--strict',
        'exit 5 when a kept checkpoint could not be held against the ledger, none was given, or rows are not signed',
      ),
    )
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runLedgerVerify } = await import('./verify.ts');
      return runLedgerVerify(command.opts<LedgerVerifyOptions>(), terminal, globals);
    })(),
  );
}

function proveCommand(settle: Settle): Command {
  const command = withLedgerFlags(new Command('prove'))
    .summary('write a proof of one row, for somebody without access')
    .description(
      'Writes a .tlog-proof: the row, the proof that it stands in the signed tree, and the checkpoint. Anybody can verify it offline with the key of the log.',
    )
    .argument('<row>', 'number of the row')
    .addOption(
      outputOption('tlog-proof, json or yaml, or a file whose name ends in .tlog-proof', 'tlog-proof'),
    );
  return command.action((row: string) =>
    settle(async (terminal, globals) => {
      const { runLedgerProve } = await import('./prove.ts');
      return runLedgerProve(row, command.opts<LedgerProveOptions>(), terminal, globals);
    })(),
  );
}

function checkpointCommand(settle: Settle): Command {
  const command = withLedgerFlags(new Command('checkpoint'))
    .summary('print or save the newest signed checkpoint')
    .description(
      'Prints the newest signed checkpoint. Kept where who can change the ledger cannot change it, it makes every later change to history show.',
    )
    .addOption(
      new Option(
        '--save <file>',
        'keep it in a file; when one is kept there already, only if the ledger still extends it',
      ),
    )
    .addOption(new Option('--verify', 'check its signature, and tell what it says instead of printing it'))
    .addOption(many('--key <vkey>', "verifier's key of the log, or a file that holds it; repeatable"))
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runLedgerCheckpoint } = await import('./checkpoint.ts');
      return runLedgerCheckpoint(command.opts<LedgerCheckpointOptions>(), terminal, globals);
    })(),
  );
}

function putBackCommand(settle: Settle): Command {
  const command = new Command('put-back')
    .summary('record the rows that a replica left in its spool')
    .description(
      'Puts the reviews that a replica left in its spool into the ledger, each once, and marks the replica as ended. For the volume of a replica that will not be started again: a service does the same when it starts there. Writes to the database.',
    )
    .argument('<directory>', "the replica's spool: spool/ in its data directory")
    .addOption(databaseOption())
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for a database that takes no rows').default('1m'),
    )
    .addOption(
      new Option(
        '--unknown-replica',
        'also where the database does not know the replica (put back from a backup)',
      ),
    )
    .addOption(outputOption());
  return command.action((directory: string) =>
    settle(async (terminal, globals) => {
      const { runLedgerPutBack } = await import('./put-back.ts');
      return runLedgerPutBack(directory, command.opts<LedgerPutBackOptions>(), terminal, globals);
    })(),
  );
}

function acceptClockCommand(settle: Settle): Command {
  const command = new Command('accept-clock')
    .summary('stop marking rows after a clock that was ahead was set right')
    .description(
      'Makes the times that the ledger has recorded so far count no more against the clock, so that new rows are no longer marked clock_suspect. Rows and their marks stay as they are. For a clock that was ahead and is right again; audited. Writes to the database.',
    )
    .addOption(databaseOption())
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal) => {
      const { runLedgerAcceptClock } = await import('./accept-clock.ts');
      return runLedgerAcceptClock(command.opts<LedgerAcceptClockOptions>(), terminal);
    })(),
  );
}

function databaseOption(): Option {
  return new Option(
    '--database <url>',
    'sqlite:PATH or postgres://USER@HOST:5432/NAME; else IPO_DATABASE, else IPO_DATABASE_URL',
  );
}

function withPeriod(command: Command): Command {
  return command
    .addOption(new Option('-d, --days <n>', 'the last n days of 24 hours'))
    .addOption(new Option('--from <time>', 'rows from this time on (RFC 3339)'))
    .addOption(new Option('--to <time>', 'rows until this time (RFC 3339), included'));
}

function many(flags: string, text: string): Option {
  return new Option(flags, text).argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}
