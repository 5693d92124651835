import { writeLong } from '../../../src/app/index.ts';
import { exportLines, type LedgerRow } from '../../../src/ledger/index.ts';
import { AUDIT_POLICY, factsOfImages, toExport } from '../../../src/recording/index.ts';
import { counted } from '../../../src/render/index.ts';
import { checkStdin } from '../../files/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openParts } from '../../terminal/parts.ts';
import { Progress } from '../../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { exportTarget } from '../export-target.ts';
import { openBook } from './book.ts';
import type { LedgerRecordOptions } from './options.ts';
import { recordAudit, recordPods, type Recorded } from './sources.ts';

/** runLedgerRecord is `ipo ledger record`: an export of what a cluster already has, written whole or not at all. */
export async function runLedgerRecord(
  options: LedgerRecordOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkFlags(options);
  const parts = openParts(terminal);
  if (options.auditPolicy) {
    terminal.out(AUDIT_POLICY);
    return EXIT.done;
  }
  const path = await exportTarget(options, parts, terminal);
  const progress = new Progress(terminal, globals, parts.clock.now);
  const say = (text: string): void =>
    globals.quiet ? undefined : terminal.err(`ipo: ${clean(text, 2000)}\n`);
  let recorded: Recorded;
  try {
    recorded =
      options.audit === undefined
        ? await recordPods(options, terminal, say)
        : await recordAudit(options.audit, options, { terminal, progress, say });
  } finally {
    progress.end();
  }
  const { source, lacks, cluster, reports } = recorded;
  const book = await openBook(recorded.rows, reports, options, { parts, terminal, say });
  const { rows, images } = factsOfImages(recorded.rows, book);
  const { coldImagePolicy } = options;
  const at = parts.clock.now();
  const lines = exportLines(toExport({ rows, images, source, lacks, cluster, coldImagePolicy, at }));
  if (path === null) for await (const text of lines) terminal.out(text);
  else await writeLong(path, lines);
  say(
    `${counted(rows.length, 'row')} of ${counted(countImages(rows), 'image')}${path === null ? '' : ` in ${path}`}`,
  );
  const scanned = images.filter(({ scan }) => scan !== null).length;
  if (scanned === 0 && rows.length > 0)
    say('no scan of any image is known: give reports with --trivy, or add --registry for signatures');
  return EXIT.done;
}

function countImages(rows: readonly Omit<LedgerRow, 'id'>[]): number {
  return new Set(rows.map(({ image, digest }) => digest ?? image)).size;
}

function checkFlags(options: LedgerRecordOptions): void {
  const { audit, pods, services = [], kubeconfig, context, trivy = [], kev } = options;
  checkStdin([...(audit ?? []), ...(pods ?? []), ...services, ...trivy, kev]);
  const isCluster = kubeconfig !== undefined || context !== undefined;
  if ([audit !== undefined, pods !== undefined, isCluster].filter(Boolean).length > 1)
    throw new UsageError(
      '--audit, --pods and --kubeconfig or --context exclude each other',
      'Record each source by itself',
    );
  const { trustRoot, registryCa, insecureRegistry, registryTimeout } = options;
  const ofRegistries = [trustRoot, registryCa, insecureRegistry, registryTimeout];
  if (options.registry !== true && ofRegistries.some((one) => one !== undefined))
    throw new UsageError(
      'without --registry no registry is asked',
      'Add --registry, or leave out the flags for registries',
    );
}
