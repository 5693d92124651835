/**
 * `ipo backup`: backups of the whole service, made, verified, restored and moved.
 * It uses `files`, `ledger`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { withPaging } from '../terminal/paging-flags.ts';
import type { BackupCreateOptions } from './create.ts';
import type { BackupVerifyOptions } from './verify.ts';
import type { BackupRestoreOptions } from './restore.ts';
import type { BackupMoveOptions } from './move.ts';
import type { BackupListOptions } from './list.ts';

/** listed is `ipo backup` in the help. */
export const listed: Listed = {
  name: 'backup',
  summary: 'back up the service, verify and restore backups, move to another database',
  group: 'The service:',
  place: 5,
  examples: [
    'ipo backup create --data /var/lib/ipo --out ipo.ipobackup',
    'IPO_DATABASE=postgres://ipo@db.example.com/ipo ipo backup create --out ipo.ipobackup',
    'ipo backup create --data /var/lib/ipo --out oci://registry.example.com/backups/ipo:monday',
    'ipo backup verify ipo.ipobackup --checkpoint kept.txt',
    'ipo backup restore ipo.ipobackup --data /var/lib/ipo --checkpoint kept.txt',
    'ipo backup restore ipo.ipobackup --database postgres://ipo@db.example.com/ipo',
    'ipo backup move --data /var/lib/ipo --to postgres://ipo@db.example.com/ipo',
    'ipo backup list',
  ],
  define: backupCommand,
};

/**
 * Bounds of the heap in MiB. Rows are garbage at once, and what holds them grows as far as it may. The second is far above what rows take, since
 * one of an early release may hold an archive: it only lets the heap grow in smaller steps.
 */
const HEAP = ['--max-semi-space-size=4', '--max-old-space-size=512'];

const DATABASE =
  'sqlite:PATH or postgres://USER@HOST:5432/NAME (default: IPO_DATABASE, then IPO_DATABASE_URL)';
const CONFIG =
  'settings of the service (YAML or JSON): its database, its keys, and its anchors, where checkpoints are copied to';
const DATA = 'data directory of the service; it takes precedence over the one in the settings';

/** backupCommand defines `ipo backup` and what stands below it. */
function backupCommand(settle: Settle): Command {
  const backup = new Command('backup').description(
    'Back up the whole service in one file. This release and later ones can restore the file into SQLite or PostgreSQL.',
  );
  for (const define of [create, verify, restore, move]) backup.addCommand(define(inBounds(settle)));
  return backup.addCommand(list(settle));
}

/** Has each action begin in a heap of these bounds, before anything is opened or read. */
function inBounds(settle: Settle): Settle {
  return (action) =>
    settle(async (terminal, globals) => {
      await terminal.restart?.(HEAP);
      return action(terminal, globals);
    });
}

function create(settle: Settle): Command {
  const command = new Command('create')
    .summary('write a backup of a database into a file; the service goes on')
    .description(
      'Write a consistent snapshot of all tables into a file, whole or not at all. The service can run meanwhile. ' +
        'Credentials of trackers stay encrypted by DATA_KEY, an environment variable of the service. The file holds neither DATA_KEY nor the keys that sign the ledger and evidence packages: keep copies of them, or include them under a passphrase (--with-keys).',
    )
    .addOption(
      new Option(
        '--out <file>',
        'file to write, such as ipo.ipobackup, or a place in a registry: oci://HOST/PATH:TAG',
      ).makeOptionMandatory(),
    )
    .addOption(new Option('--database <url>', DATABASE))
    .addOption(new Option('-c, --config <file>', CONFIG))
    .addOption(new Option('-d, --data <directory>', DATA))
    .addOption(
      new Option(
        '--with-keys',
        'include DATA_KEY and the key of the ledger, encrypted with the passphrase in IPO_BACKUP_PASSPHRASE (asked for at a terminal)',
      ),
    )
    .addOption(
      new Option(
        '--ledger-key <file>',
        'with --with-keys: key of the ledger; required if neither --config nor --data is given',
      ),
    )
    .addOption(new Option('--force', 'overwrite an existing file'))
    .addOption(outputOption());
  return command.action(
    settle(async (terminal, globals) => {
      const { runBackupCreate } = await import('./create.ts');
      return runBackupCreate(command.opts<BackupCreateOptions>(), terminal, globals);
    }),
  );
}

function verify(settle: Settle): Command {
  const command = new Command('verify')
    .summary('restore a backup into a temporary file and verify its ledger')
    .description(
      'Read every byte of a backup, restore it into a temporary file, and verify the ledger against its checkpoints. ' +
        'Says how many credentials cannot be opened, with DATA_KEY if it is set.',
    )
    .argument('<file>', 'the backup: a file, - for stdin, or oci://HOST/PATH:TAG in a registry')
    .addOption(
      new Option('-c, --config <file>', 'settings of the service (YAML or JSON), used to reach a registry'),
    )
    .addOption(
      collecting(
        '--checkpoint <file>',
        'verify against a checkpoint that was stored outside the service; repeatable',
      ),
    )
    .addOption(
      collecting(
        '--key <vkey>',
        'verifier key of the required signer: the key itself, or a file with it; repeatable',
      ),
    )
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runBackupVerify } = await import('./verify.ts');
      return runBackupVerify(file, command.opts<BackupVerifyOptions>(), terminal, globals);
    })(),
  );
}

function restore(settle: Settle): Command {
  const command = new Command('restore')
    .summary('restore a backup into an empty database')
    .description(
      'Restore a backup of this release or an earlier one into an empty database of either engine, whole or not at all, and bring it to this release. ' +
        'Channels are paused until ipo channel resume, and messages that waited are dropped.',
    )
    .argument('<file>', 'the backup: a file, - for stdin, or oci://HOST/PATH:TAG in a registry')
    .addOption(new Option('--database <url>', DATABASE))
    .addOption(new Option('-c, --config <file>', `${CONFIG}; the backup is compared with the anchors`))
    .addOption(new Option('-d, --data <directory>', DATA))
    .addOption(
      collecting(
        '--checkpoint <file>',
        'checkpoint that was stored outside the service; an older backup is not restored without --lost-rows',
      ),
    )
    .addOption(
      new Option('--lost-rows', 'restore even if a stored checkpoint or an anchor proves that rows are lost'),
    )
    .addOption(
      new Option(
        '--keys-to <directory>',
        'write the keys of the backup here; needs its passphrase in IPO_BACKUP_PASSPHRASE',
      ),
    )
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runBackupRestore } = await import('./restore.ts');
      return runBackupRestore(file, command.opts<BackupRestoreOptions>(), terminal, globals);
    })(),
  );
}

function move(settle: Settle): Command {
  const command = new Command('move')
    .summary('move a stopped service to another database, and compare both')
    .description(
      'Copy a whole database into an empty one, from SQLite to PostgreSQL or back, and compare every table afterwards. ' +
        'The service must be stopped: its lock, its open database connections, its replicas and its Lease are checked. The old database stays as it is.',
    )
    .addOption(new Option('--from <url>', 'database of the service (default: IPO_BACKUP_FROM)'))
    .addOption(new Option('--to <url>', 'empty database (default: IPO_BACKUP_TO)'))
    .addOption(
      new Option('-c, --config <file>', 'settings of the service: its database, its lock, its Lease'),
    )
    .addOption(new Option('-d, --data <directory>', DATA))
    .addOption(outputOption());
  return command.action(
    settle(async (terminal, globals) => {
      const { runBackupMove } = await import('./move.ts');
      return runBackupMove(command.opts<BackupMoveOptions>(), terminal, globals);
    }),
  );
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list the backups that the service made, newest first')
    .description(
      'List backups with their targets, sizes and digests, and those that failed with the reason.',
    );
  withPaging(command, 'backups');
  return command.action(
    settle(async (terminal) => {
      const { runBackupList } = await import('./list.ts');
      return runBackupList(command.opts<BackupListOptions>(), terminal);
    }),
  );
}

function collecting(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
