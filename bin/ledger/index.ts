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
    'List, export, verify and prove recorded admissions. Listing, verifying and proving also work offline on an export.',
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
    .description('List rows of the ledger, newest first.')
    .addOption(new Option('-n, --namespace <name>', 'rows of this namespace'))
    .addOption(
      new Option('--image <part>', 'rows whose image contains this text; upper and lower case are equal'),
    )
    .addOption(new Option('--digest <digest>', 'rows of this digest'))
    .addOption(
      wordOption(
        '--label <label>',
        'rows denied with this label; also rows that an audit policy would have denied with it',
      ),
    )
    .addOption(new Option('--policy <name>', 'rows decided by this policy'))
    .addOption(new Option('--refused', 'only denied rows'))
    .addOption(new Option('--break-glass', 'only rows that bypassed the policies'));
  return withPeriod(command)
    .addOption(new Option('--limit <n>', 'maximum number of rows, 1 to 10000').default('20'))
    .addOption(new Option('--offset <n>', 'number of newest rows to skip').default('0'))
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
      'Write rows, policies and facts as NDJSON, with the signed checkpoint and the proof that it covers the rows. The file is written whole or not at all.',
    )
    .addOption(
      outputOption(
        'ndjson, ndjson.gz or ndjson.zst, or a file with that ending; - is stdout',
        'ndjson on stdout; if stdout is a terminal, -o is required',
      ),
    )
    .addOption(new Option('--force', 'overwrite an existing file'));
  return withPeriod(command)
    .addOption(
      new Option(
        '--cold-image-policy <timing>',
        'with --database: the value that the service has for webhook.coldImagePolicy; it decides on images without a scan record',
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
      'Verify that the ledger matches its signed checkpoint, and name the first row that differs. A checkpoint that you stored outside the service reveals every change to the rows that it covers. Exit 4 when verification fails, 1 when nothing is signed.',
    )
    .addOption(new Option('--proof <file>', 'verify a .tlog-proof instead of a ledger; - is stdin'))
    .addOption(
      many(
        '--key <vkey>',
        'public key that verifies the checkpoints of the ledger, or a file with it; repeatable',
      ),
    )
    .addOption(
      many(
        '--checkpoint <file>',
        'checkpoint stored outside the service: a file of checkpoints (signed notes), a .tlog-proof or an earlier export; repeatable',
      ),
    )
    .addOption(
      new Option(
        '-d, --days <n>',
        'with a service: verify only the rows of the last n days; a proof shows that earlier rows did not change',
      ),
    )
    .addOption(
      new Option(
        '--strict',
        'exit 5 when a checkpoint cannot be compared with the ledger, none is given, or rows are not signed',
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
    .summary('write a proof of one row, for anyone without access')
    .description(
      'Write a .tlog-proof: the row, the proof that the signed tree contains it, and the checkpoint. Anyone can verify it offline with the key of the log.',
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
      'Print the newest signed checkpoint. Store it where nobody who can change the ledger can change it: any later change to history is then found.',
    )
    .addOption(
      new Option(
        '--save <file>',
        'save the checkpoint to a file; an earlier checkpoint in the file is replaced only if the ledger extends it',
      ),
    )
    .addOption(
      new Option('--verify', 'verify the signature of the checkpoint, and print its content as text'),
    )
    .addOption(
      many(
        '--key <vkey>',
        'public key that verifies the checkpoints of the ledger, or a file with it; repeatable',
      ),
    )
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
    .summary('add the rows in the spool of a lost replica to the ledger')
    .description(
      'Add the rows in the spool of a replica to the ledger, each review once, and mark the replica as ended. Use it only if the replica will never start again. When a replica starts, it adds the rows of its own spool. The command writes to the database.',
    )
    .argument('<directory>', 'spool of the replica: spool/ in its data directory')
    .addOption(databaseOption())
    .addOption(
      new Option('--timeout <duration>', 'how long to retry while the database accepts no rows').default(
        '1m',
      ),
    )
    .addOption(
      new Option(
        '--unknown-replica',
        'add the rows even if the database does not know the replica, for example after a restored backup',
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
    .summary('stop marking rows as clock_suspect, after a clock that was ahead is corrected')
    .description(
      'Stop comparing the clock with the times recorded so far, so that new rows are no longer marked clock_suspect. Existing rows keep their marks. Use it after a clock that was ahead is corrected. The command writes to the database, and the audit log records it.',
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
    'sqlite:PATH or postgres://USER@HOST:5432/NAME (default: IPO_DATABASE, then IPO_DATABASE_URL)',
  );
}

function withPeriod(command: Command): Command {
  return command
    .addOption(new Option('-d, --days <n>', 'rows of the last N days, of 24 hours each'))
    .addOption(new Option('--from <time>', 'rows since this time (RFC 3339)'))
    .addOption(new Option('--to <time>', 'rows until this time, inclusive (RFC 3339)'));
}

function many(flags: string, text: string): Option {
  return new Option(flags, text).argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}
