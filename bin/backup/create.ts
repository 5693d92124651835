import { createBackup } from '../../src/app/index.ts';
import { readEvidenceKey, readLedgerKey } from '../../src/app/index.ts';
import type { BackupKey } from '../../src/backup/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import type { BackupCreateOptions } from './index.ts';
import { findWhere, readPassphrase, type Where } from './where.ts';

/** runBackupCreate is `ipo backup create`. */
export async function runBackupCreate(
  options: BackupCreateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const { out } = options;
  if (out === '-')
    throw new UsageError('--out -: a backup is written into a file', 'It is there whole or not at all');
  const where = await findWhere(options, terminal);
  const keys = options.withKeys === true ? await keysOf(options, where, terminal) : null;
  if (keys === null && options.ledgerKey !== undefined)
    throw new UsageError('--ledger-key is for --with-keys', 'Give both, or neither');
  const { clock } = openParts(terminal);
  const progress = new Progress(terminal, globals, clock.now, 'writing the backup');
  const { header, bytes, sha256, tables } = await createBackup({
    database: where.database,
    out,
    keys,
    program: VERSION,
    clock,
    progress: (rows) => progress.rows(rows),
  }).finally(() => progress.end());
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const held = keys?.keys.map(({ name }) => name) ?? [];
  await outcome.write(
    {
      file: out,
      bytes,
      sha256,
      created_at: formatTime(header.created_at),
      engine: header.engine,
      release: header.release,
      ledger_rows: header.ledger.rows,
      rows,
      tables,
      keys: held,
    },
    `${clean(out)}: ${counted(rows, 'row')} of ${counted(tables.length, 'table')}, ${counted(header.ledger.rows, 'row')} of the ledger\nsha256 ${sha256}\n`,
  );
  if (!globals.quiet)
    terminal.err(
      `ipo: verify it with ipo backup verify ${clean(out)}${held.length > 0 ? '' : '; keep DATA_KEY and the signing keys elsewhere: they are not in it'}\n`,
    );
  return EXIT.done;
}

async function keysOf({ ledgerKey }: BackupCreateOptions, { places }: Where, terminal: Terminal) {
  const file = ledgerKey ?? places?.keyFile;
  const dataKey = places?.dataKey?.reveal() ?? terminal.env['DATA_KEY'];
  if (file === undefined)
    throw new UsageError(
      '--with-keys: the key of the ledger is not named',
      'Name the service with --config or --data, or the key with --ledger-key FILE',
    );
  const keys: BackupKey[] = [await readLedgerKey(file)];
  const evidenceKey = places === null ? null : await readEvidenceKey(places.evidenceKeyFile);
  if (evidenceKey !== null) keys.push(evidenceKey);
  if (dataKey !== undefined && dataKey !== '') keys.push({ name: 'data_key', value: dataKey });
  return { keys, passphrase: await readPassphrase(terminal, true) };
}
