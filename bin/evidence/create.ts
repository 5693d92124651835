import { makeFromExport } from '../../src/app/index.ts';
import { parseTime } from '../../src/base/index.ts';
import { isThere } from '../files/index.ts';
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

/** runEvidenceCreate is `ipo evidence create`: a package of an export, signed with the caller's key. */
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
  if (ledger === undefined || key === undefined)
    throw new UsageError(
      ledger === undefined ? 'no source is named' : '--ledger is given without --key',
      'Give --ledger EXPORT and --key FILE',
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
    const { document, bytes } = await makeFromExport({
      ledger,
      key: pem,
      keyName: key,
      out,
      wish: {
        ...(period ?? {}),
        frameworks: options.framework,
        clusters: options.cluster,
        namespaces: options.namespace,
      },
      organisation: { name: options.organisation ?? null, contact: options.contact ?? null },
      version: VERSION,
      at: now,
      progress: (rows) => progress.rows(rows),
    });
    progress.end();
    await writeSummary(targets, { ...summaryOf(document), file: out, bytes }, terminal, globals);
  } finally {
    progress.end();
  }
  return EXIT.done;
}
