import { makeFromDatabase, makeFromExport, type FromDatabase, type MadeFile } from '../../src/app/index.ts';
import { parseTime } from '../../src/base/index.ts';
import type { Period } from '../../src/evidence/index.ts';
import { findDatabase, isThere } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import type { EvidenceCreateOptions } from './index.ts';
import { readPeriod } from './period.ts';
import { FORMATS, summaryOf, writeSummary } from './view.ts';

const MAX_KEY = 65_536;

/** runEvidenceCreate is `ipo evidence create`: a package of an export or a database, signed with the caller's key. */
export async function runEvidenceCreate(
  options: EvidenceCreateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { ledger, key, out } = options;
  const targets = parseOutputs(options.output, FORMATS, 'table', [ledger, key, out]);
  const parts = openParts(terminal);
  const now = options.at === undefined ? parts.clock.now() : parseTime(options.at);
  if (Number.isNaN(now))
    throw new UsageError(
      `--at ${options.at}: this is not an RFC 3339 time`,
      'Write it as 2026-11-20T06:00:00Z',
    );
  if (ledger !== undefined && options.database !== undefined)
    throw new UsageError('--ledger and --database are both given', 'Give one source');
  if (key === undefined)
    throw new UsageError(
      'no key is named that signs the package',
      'Give --key FILE, an ECDSA key on P-256 in PEM',
    );
  if (ledger === '-')
    throw new UsageError('--ledger -: an export is read twice', 'Save it, and name the file');
  if (out === undefined || !out.endsWith('.zip'))
    throw new UsageError(
      out === undefined ? 'no file is named to write' : `--out ${out}: a package is a .zip file`,
      'Write --out evidence.zip',
    );
  const period = readPeriod(options, now);
  if (options.force !== true && (await isThere(out, parts)))
    throw new UsageError(`${out} is there already`, 'Name another file, or give --force to overwrite it');
  const pem = await parts.readText(key, MAX_KEY);
  const progress = new Progress(terminal, globals, parts.clock.now);
  try {
    const how = {
      ...{ key: pem, keyName: key, out, version: VERSION, at: now },
      organisation: { name: options.organisation ?? null, contact: options.contact ?? null },
      progress: (rows: number) => progress.rows(rows),
    };
    const wish = {
      frameworks: options.framework,
      clusters: options.cluster,
      namespaces: options.namespace,
    };
    const made =
      ledger === undefined
        ? await ofDatabase(options, { ...wish, ...needed(period) }, how, terminal)
        : await makeFromExport({ ...how, ledger, wish: { ...wish, ...period } });
    progress.end();
    const summary = { ...summaryOf(made.document), file: out, bytes: made.bytes };
    await writeSummary(targets, summary, terminal, globals);
  } finally {
    progress.end();
  }
  return EXIT.done;
}

function ofDatabase(
  options: EvidenceCreateOptions,
  wish: FromDatabase['wish'],
  how: Omit<FromDatabase, 'url' | 'wish' | 'publicUrl' | 'cluster' | 'coldImagePolicy'>,
  terminal: Terminal,
): Promise<MadeFile> {
  return makeFromDatabase({
    ...how,
    wish,
    url: findDatabase(options.database, terminal.env),
    publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? null,
    cluster: options.clusterName ?? null,
    coldImagePolicy: options.coldImagePolicy,
  });
}

function needed(period: Period | null): Period {
  if (period === null)
    throw new UsageError('no period is given', 'Give --period 2026-Q3, or --days, or --from and --to');
  return period;
}
