import { backupPlaces, openArtifacts, verifyBackup, type VerifiedBackup } from '../../src/app/index.ts';
import { formatTime, Secret } from '../../src/base/index.ts';
import { toBase64 } from '../../src/ledger/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import { readKept, readKeys } from '../ledger/flags.ts';
import { renderVerification } from '../ledger/verify-view.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { checkStdin } from '../files/index.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';

/** BackupVerifyOptions are the flags of `ipo backup verify`. */
export interface BackupVerifyOptions {
  readonly config?: string;
  readonly checkpoint?: readonly string[];
  readonly key?: readonly string[];
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'yaml'] as const;

/** runBackupVerify is `ipo backup verify`. Exit 4 when the backup is damaged or its ledger does not hold. */
export async function runBackupVerify(
  file: string,
  options: BackupVerifyOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { checkpoint = [], key = [] } = options;
  const inputs = [file, ...checkpoint, ...key];
  const targets = parseOutputs(options.output, FORMATS, 'table', inputs);
  checkStdin(inputs);
  const parts = openParts(terminal);
  const keys = await readKeys(key, parts);
  const kept = await readKept(checkpoint, parts, terminal);
  const { config } = options;
  const reach = config === undefined ? null : (await backupPlaces({ config }, terminal.env)).reach;
  const { IPO_BACKUP_PASSPHRASE: passphrase, DATA_KEY: dataKey } = terminal.env;
  const progress = new Progress(terminal, globals, parts.clock.now, 'reading the backup');
  const result = await verifyBackup({
    file,
    stdin: terminal.stdin,
    kept,
    keys,
    clock: parts.clock,
    registry: () => openArtifacts(reach, terminal.env, VERSION),
    passphrase: secretOf(passphrase),
    dataKey: secretOf(dataKey),
    progress: (rows) => progress.rows(rows),
    bytes: (read, size) => progress.bytes(read, size),
  }).finally(() => progress.end());
  const document = toDocument(result);
  const render = async (format: (typeof FORMATS)[number], toStdout: boolean): Promise<string> => {
    if (format === 'json') return `${JSON.stringify(document)}\n`;
    if (format === 'yaml') return toYaml(document);
    const ledger = await renderVerification(result.ledger, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      kept: kept.length > 0,
      keyed: keys.length > 0,
    });
    return `${linesOf(result).join('\n')}\n\n${ledger}`;
  };
  await writeOutputs(targets, render, parts, terminal);
  return result.ledger.holds ? EXIT.done : EXIT.integrity;
}

function secretOf(text: string | undefined): Secret | null {
  return text === undefined || text === '' ? null : new Secret(text);
}

function linesOf({ header, end, keys, credentials }: VerifiedBackup): string[] {
  const rows = end.tables.reduce((sum, table) => sum + table.rows, 0);
  const { sealed, unreadable } = credentials;
  const held = { none: 'none', sealed: 'sealed under a passphrase', opened: 'the passphrase opens them' };
  return [
    `made      ${formatTime(header.created_at)}, release ${clean(header.release)}, ${header.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
    `content   ${counted(rows, 'row')} of ${counted(end.tables.length, 'table')}: every byte is as it was written`,
    `sha256    ${end.sha256}`,
    `keys      ${held[keys]}`,
    `secrets   ${sealed === 0 ? 'no sealed credentials' : `${counted(unreadable, 'credential')} of ${sealed} ${unreadable === 1 ? 'does' : 'do'} not open ${unreadable === sealed ? 'without DATA_KEY' : 'with this DATA_KEY'}${unreadable === 0 ? '' : channelsOf(header)}`}`,
  ];
}

function channelsOf({ credentials }: VerifiedBackup['header']): string {
  const names = credentials.slice(0, 5).map(({ channel }) => clean(channel, 60));
  return `: ${names.join(', ')}${credentials.length > 5 ? ` and ${credentials.length - 5} more` : ''}`;
}

function toDocument({ header, end, keys, credentials, ledger }: VerifiedBackup): object {
  const { tree } = ledger;
  return {
    holds: ledger.holds,
    created_at: formatTime(header.created_at),
    program: header.program,
    engine: header.engine,
    release: header.release,
    migration: header.migrations.at(-1),
    installation: header.installation,
    bytes: end.bytes,
    sha256: end.sha256,
    tables: end.tables,
    keys,
    credentials: { ...credentials, channels: header.credentials },
    ledger: {
      rows: ledger.rows.count,
      signed: ledger.rows.signed,
      tree: tree === null ? null : { origin: tree.origin, size: tree.size, root: toBase64(tree.root) },
      key: ledger.key,
      checks: ledger.checks,
      first_bad: ledger.firstBad,
      limits: ledger.limits,
    },
  };
}
