import { makeFromDatabase, makeFromExport, type MadeFile } from '../../src/app/index.ts';
import { parseTime } from '../../src/base/index.ts';
import { summaryOf, type Period } from '../../src/evidence/index.ts';
import { findLedger, type LedgerSource } from '../ledger/source.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import { createAtService } from './create-at-service.ts';
import type { EvidenceCreateOptions } from './options.ts';
import { readPeriod } from './period.ts';
import { holdTarget } from './target.ts';
import { FORMATS, warnEmpty, writeSummary } from './view.ts';

const MAX_KEY = 65_536;

/** runEvidenceCreate is `ipo evidence create`: a package that a service makes, or one of an export or a database, signed with the caller's key. */
export async function runEvidenceCreate(
  options: EvidenceCreateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const source = findLedger(options, terminal);
  const parts = openParts(terminal);
  if (options.out !== undefined) await holdTarget(options.out, options.force === true, terminal);
  if (source.kind === 'server') {
    holdNone(localOf(options), 'a service makes this package', HINT_LOCAL);
    const period = needed(readPeriod(options, parts.clock.now()));
    return createAtService(options, period, source.flags, terminal, globals);
  }
  holdNone({ 'no-wait': options.wait ? undefined : true }, 'no service makes this package', 'Leave it out');
  if (source.kind === 'ledger')
    holdNone(
      databaseOf(options),
      'the package is made from an export',
      'Leave it out, or give --database URL',
    );
  const { key, out } = options;
  const now = options.at === undefined ? parts.clock.now() : parseTime(options.at);
  if (Number.isNaN(now))
    throw new UsageError(
      `--at ${options.at}: this is not an RFC 3339 time`,
      'Write it as 2026-11-20T06:00:00Z',
    );
  const period = readPeriod(options, now);
  const paths = [source.kind === 'ledger' ? source.path : undefined, key, out];
  const targets = parseOutputs(options.output, FORMATS, 'table', paths);
  if (key === undefined)
    throw new UsageError('no signing key given', 'Give --key FILE, an ECDSA key on P-256 in PEM');
  if (source.kind === 'ledger' && source.path === '-')
    throw new UsageError(
      '--ledger -: an export is read twice, and stdin can be read only once',
      'Save it, and name the file',
    );
  if (out === undefined) throw new UsageError('no file is named to write', 'Write --out evidence.zip');
  const pem = await parts.readText(key, MAX_KEY);
  const progress = new Progress(terminal, globals, parts.clock.now);
  try {
    const made = await makeHere(source, options, period, {
      key: pem,
      keyName: key,
      out,
      version: VERSION,
      at: now,
      organisation: { name: options.organisation ?? null, contact: options.contact ?? null },
      progress: (rows) => progress.rows(rows),
    });
    progress.end();
    const summary = { ...summaryOf(made.document), file: out, bytes: made.bytes };
    await writeSummary(targets, summary, terminal, globals);
    warnEmpty(source.kind === 'ledger' ? 'export' : 'ledger', summary, terminal, globals);
  } finally {
    progress.end();
  }
  return EXIT.done;
}

interface How {
  readonly key: string;
  readonly keyName: string;
  readonly out: string;
  readonly version: string;
  readonly at: number;
  readonly organisation: { readonly name: string | null; readonly contact: string | null };
  readonly progress: (rows: number) => void;
}

function makeHere(
  source: Exclude<LedgerSource, { kind: 'server' }>,
  options: EvidenceCreateOptions,
  period: Period | null,
  how: How,
): Promise<MadeFile> {
  const wish = {
    frameworks: options.framework,
    clusters: options.cluster,
    namespaces: options.namespace,
    includeRuntimeRaw: options.includeRuntimeRaw === true,
  };
  if (source.kind === 'ledger')
    return makeFromExport({ ...how, ledger: source.path, wish: { ...wish, ...period } });
  return makeFromDatabase({
    ...how,
    wish: { ...wish, ...needed(period) },
    url: source.url,
    publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? null,
    cluster: options.clusterName ?? null,
    coldImagePolicy: options.coldImagePolicy ?? 'AllowAndScan',
  });
}

function needed(period: Period | null): Period {
  if (period === null)
    throw new UsageError('no period is given', 'Give --period 2026-Q3, or --days, or --from and --to');
  return period;
}

const HINT_LOCAL = 'To make the package on this machine, give --ledger FILE or --database URL';

/** What the header of the rows of an export says already. */
function databaseOf({ publicUrl, clusterName, coldImagePolicy }: EvidenceCreateOptions): Given {
  return { 'public-url': publicUrl, 'cluster-name': clusterName, 'cold-image-policy': coldImagePolicy };
}

/** A service signs with its own key, in its own name, now. */
function localOf(options: EvidenceCreateOptions): Given {
  const { key, organisation, contact, at } = options;
  return { key, organisation, contact, at, ...databaseOf(options) };
}

type Given = Readonly<Record<string, unknown>>;

function holdNone(flags: Given, because: string, hint: string): void {
  for (const [flag, value] of Object.entries(flags))
    if (value !== undefined) throw new UsageError(`--${flag} has no effect: ${because}`, hint);
}
