import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createBackup,
  openArtifacts,
  parseOciAddress,
  pushBackup,
  readEvidenceKey,
  readLedgerKey,
  type CreatedBackup,
  type OciAddress,
} from '../../src/app/index.ts';
import type { BackupKey } from '../../src/backup/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { assertNew } from '../files/index.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import { findWhere, readPassphrase, type Where, type PlaceOptions } from './where.ts';

/** BackupCreateOptions are the flags of `ipo backup create`. */
export interface BackupCreateOptions extends PlaceOptions {
  readonly out: string;
  readonly withKeys?: true;
  readonly ledgerKey?: string;
  readonly force?: true;
}

/** runBackupCreate is `ipo backup create`. */
export async function runBackupCreate(
  options: BackupCreateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const { out } = options;
  if (out === '-')
    throw new UsageError(
      '--out -: a backup cannot be written to stdout',
      'Name a file or a place in a registry',
    );
  const where = await findWhere(options, terminal);
  const keys = options.withKeys === true ? await keysOf(options, where, terminal) : null;
  if (keys === null && options.ledgerKey !== undefined)
    throw new UsageError('--ledger-key is for --with-keys', 'Give both, or neither');
  const { clock } = openParts(terminal);
  const address = parseOciAddress(out);
  if (address !== null && (address.tag === null || address.digest !== null))
    throw new UsageError(`--out ${out}: a backup is pushed under a tag`, 'Write oci://HOST/PATH:TAG');
  if (address === null) await assertNew(out, openParts(terminal), options.force === true);
  const progress = new Progress(terminal, globals, clock.now, 'writing the backup');
  const create = (file: string): Promise<CreatedBackup> =>
    createBackup({
      database: where.database,
      out: file,
      keys,
      program: VERSION,
      clock,
      progress: (rows) => progress.rows(rows),
    }).finally(() => progress.end());
  const { header, bytes, sha256, tables, target } =
    address === null
      ? { ...(await create(out)), target: out }
      : await pushed(address, create, where, terminal);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const held = keys?.keys.map(({ name }) => name) ?? [];
  await outcome.write(
    {
      ...(address === null ? { file: out } : { target }),
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
    `${clean(target, 400)}: ${counted(rows, 'row')} of ${counted(tables.length, 'table')}, ${counted(header.ledger.rows, 'row')} of the ledger\nsha256 ${sha256}\n`,
  );
  if (!globals.quiet)
    terminal.err(
      `ipo: verify it with ipo backup verify ${clean(target, 400)}${held.length > 0 ? '' : '; keep copies of DATA_KEY and the signing keys in another place: the backup does not have them'}\n`,
    );
  return EXIT.done;
}

/** Made as a file first: the snapshot ends before the registry takes what it holds, however slow that is. */
async function pushed(
  { host, path, tag }: OciAddress,
  create: (file: string) => Promise<CreatedBackup>,
  { places }: Where,
  terminal: Terminal,
): Promise<CreatedBackup & { readonly target: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'ipo-backup-'));
  try {
    const file = join(folder, 'whole.ipobackup');
    const made = await create(file);
    const { artifacts, close } = await openArtifacts(places?.reach ?? null, terminal.env, VERSION);
    try {
      const { bytes, sha256, header } = made;
      const backup = { path: file, bytes, sha256, createdAt: header.created_at };
      const place = { host, path, tag: tag ?? '' };
      const target = await pushBackup(artifacts, place, backup, new AbortController().signal);
      return { ...made, target };
    } finally {
      await close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
