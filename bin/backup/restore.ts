import { inHeldDirectory, openArtifacts, restoreBackup, type RestoredBackup } from '../../src/app/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { counted } from '../../src/render/index.ts';
import { checkStdin } from '../files/index.ts';
import { readKept } from '../ledger/flags.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';
import { findWhere, readPassphrase, type PlaceOptions } from './where.ts';

/** BackupRestoreOptions are the flags of `ipo backup restore`. */
export interface BackupRestoreOptions extends PlaceOptions {
  readonly checkpoint?: readonly string[];
  readonly lostRows?: true;
  readonly keysTo?: string;
}

/** runBackupRestore is `ipo backup restore`. Exit 4 where a kept checkpoint proves rows that the backup lacks. */
export async function runBackupRestore(
  file: string,
  options: BackupRestoreOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { checkpoint = [], keysTo } = options;
  const outcome = openOutcome(options.output, terminal);
  checkStdin([file, ...checkpoint]);
  const parts = openParts(terminal);
  const { clock } = parts;
  const { database, places } = await findWhere(options, terminal);
  const kept = [
    ...(await readKept(checkpoint, parts, terminal)),
    ...(places === null ? [] : await places.anchored()),
  ];
  const keys =
    keysTo === undefined ? null : { directory: keysTo, passphrase: await readPassphrase(terminal, false) };
  const progress = new Progress(terminal, globals, clock.now, 'restoring');
  let result: RestoredBackup;
  try {
    result = await inHeldDirectory(places, () =>
      restoreBackup({
        file,
        stdin: terminal.stdin,
        database,
        kept,
        keys,
        clock,
        registry: () => openArtifacts(places?.reach ?? null, terminal.env, VERSION),
        lostRows: options.lostRows === true,
        progress: (rows) => progress.rows(rows),
        bytes: (read, size) => progress.bytes(read, size),
      }),
    );
  } finally {
    progress.end();
  }
  const { header, end, lost } = result;
  const rows = end.tables.reduce((sum, table) => sum + table.rows, 0);
  await outcome.write(
    {
      created_at: formatTime(header.created_at),
      release: header.release,
      sha256: end.sha256,
      rows,
      tables: end.tables.length,
      ledger_rows: header.ledger.rows,
      epoch: result.epoch,
      lost:
        lost === null ? null : { origin: lost.origin, size: lost.size, rows: lost.size - header.ledger.rows },
      keys: result.keys,
    },
    `Restored ${counted(rows, 'row')} of ${counted(end.tables.length, 'table')}, as of ${formatTime(header.created_at)}.\n`,
  );
  if (!globals.quiet) for (const line of next(result)) terminal.err(`ipo: ${clean(line, 400)}\n`);
  return EXIT.done;
}

function next({ header, lost, keys, holdsKeys }: RestoredBackup): string[] {
  const sealed = header.credentials.reduce((sum, { count }) => sum + count, 0);
  return [
    ...(lost === null
      ? []
      : [
          `${counted(lost.size - header.ledger.rows, 'row')} of the ledger ${lost.size - header.ledger.rows === 1 ? 'is' : 'are'} lost; the log goes on under a new name, and ipo ledger verify reports the gap`,
        ]),
    ...keys.map((path) => `wrote ${path}`),
    ...(holdsKeys && keys.length === 0 ? ['the backup holds keys: --keys-to writes them'] : []),
    ...(sealed > 0 && keys.length === 0
      ? [
          `${counted(sealed, 'credential')} of trackers ${sealed === 1 ? 'opens' : 'open'} only with the DATA_KEY of the saved service`,
        ]
      : []),
    'channels are paused: start the service, then ipo channel resume --all',
  ];
}
