import { moveDatabase } from '../../src/app/index.ts';
import { readCheckpoint } from '../../src/ledger/index.ts';
import { counted } from '../../src/render/index.ts';
import { findDatabase } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import { findWhere } from './where.ts';

/** BackupMoveOptions are the flags of `ipo backup move`. */
export interface BackupMoveOptions {
  readonly from?: string;
  readonly to?: string;
  readonly config?: string;
  readonly data?: string;
  readonly output: readonly string[];
}

/** runBackupMove is `ipo backup move`. */
export async function runBackupMove(
  options: BackupMoveOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const { env } = terminal;
  const from = options.from ?? env['IPO_BACKUP_FROM'];
  const { config, data } = options;
  if (from === undefined && config === undefined && data === undefined)
    throw new UsageError(
      'the source database is missing',
      'Name it with --from URL, or the service with --config FILE or --data DIR',
    );
  const to = options.to === undefined ? env['IPO_BACKUP_TO'] : findDatabase(options.to, env);
  if (to === undefined || to === '')
    throw new UsageError(
      'the target database is missing',
      'Name an empty one with --to URL, or in IPO_BACKUP_TO',
    );
  const where =
    config === undefined && data === undefined
      ? {
          database: options.from === undefined ? (from ?? '') : findDatabase(options.from, env),
          places: null,
        }
      : await findWhere({ ...options, ...(from !== undefined && { database: from }) }, terminal);
  const { clock } = openParts(terminal);
  const progress = new Progress(terminal, globals, clock.now, 'moving');
  const { header, tables, rows } = await moveDatabase({
    from: where.database,
    to,
    program: VERSION,
    clock,
    lockFile: where.places?.lockFile ?? null,
    cluster: where.places?.cluster,
    progress: (count) => progress.rows(count),
  }).finally(() => progress.end());
  const { checkpoint } = header.ledger;
  const signed = checkpoint === null ? null : readCheckpoint(checkpoint).size;
  await outcome.write(
    { tables, rows, ledger_rows: header.ledger.rows, signed_rows: signed, checkpoint },
    `Moved ${counted(rows, 'row')} of ${counted(tables, 'table')}; both databases hold the same.\n`,
  );
  if (!globals.quiet)
    terminal.err(
      'ipo: set database.url (IPO_DATABASE_URL) to the new database before the service starts; the old one stays as it is\n',
    );
  return EXIT.done;
}
