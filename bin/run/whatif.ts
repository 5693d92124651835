import { parseTime } from '../../src/base/index.ts';
import { placeOf, type ParsedPolicy } from '../../src/policy/index.ts';
import {
  MAX_DAYS,
  runSelfCheck,
  runWhatIf as replay,
  sourceOf,
  type WhatIfResult,
} from '../../src/whatif/index.ts';
import type { WhatIfOptions } from '../commands/whatif.ts';
import { EXIT, type ExitCode } from '../ui/exit.ts';
import { parseWhole } from '../ui/numbers.ts';
import { parseOutputs, writeOutputs } from '../ui/output.ts';
import { Progress } from '../ui/progress.ts';
import { checkStdin, readOnePolicy } from '../ui/read-policies.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../ui/terminal.ts';
import { openParts } from '../ui/parts.ts';
import { UsageError } from '../ui/usage.ts';
import { fromWorkspace } from '../ui/workspace.ts';
import { VERSION } from '../version.ts';
import { parseChecks, runChecks, whatIsOpen } from './whatif-checks.ts';

const FORMATS = ['table', 'json', 'yaml', 'markdown', 'html', 'sarif', 'junit', 'github'] as const;
const SELF_CHECK_FORMATS = ['table', 'json', 'yaml'] as const;
type Format = (typeof FORMATS)[number];

/** runWhatIf is `ipo whatif`: read the draft, replay the export, write every output, answer with the exit code. */
export async function runWhatIf(
  policyPath: string | undefined,
  options: WhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (options.selfCheck) return selfCheck(policyPath, options, terminal, globals);
  const targets = parseOutputs(options.output ?? [], FORMATS, 'table', [policyPath, options.ledger]);
  const checks = parseChecks(options.failOn ?? []);
  const parameters = parseParameters(options);
  if (policyPath === undefined) {
    throw new UsageError(
      'no policy is given',
      'Call ipo whatif POLICY --ledger EXPORT; `ipo policy init` writes a first policy',
    );
  }
  const ledgerPath = pathOfLedger(options);
  checkStdin([policyPath, ledgerPath]);
  const parts = openParts(terminal);
  const draft = await readOnePolicy(policyPath, parts);
  const progress = new Progress(terminal, globals, parts.clock.now);
  const ledger = await parts.openLedger(ledgerPath, (read, size) => progress.bytes(read, size));
  let result: WhatIfResult;
  try {
    const asOf = parameters.asOf ?? ledger.header.exportedAt;
    result = await replay(
      { draft: draft.policy, ...parameters, asOf, source: options.source ?? null },
      sourceOf(ledger),
      (rows) => progress.rows(rows),
    );
  } finally {
    progress.end();
    await ledger.close();
  }
  const held = runChecks(checks, result);
  const render = (format: Format, toStdout: boolean) =>
    renderResult(format, result, draft, held, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      env: terminal.env,
    });
  await writeOutputs(targets, render, parts, terminal);
  const say = (text: string): void => (globals.quiet ? undefined : terminal.err(`ipo: ${text}\n`));
  const open = whatIsOpen(result);
  const broken = held.filter((check) => check.broken);
  for (const { check, count, tolerated } of broken) {
    say(
      `--fail-on ${check}${tolerated > 0 ? `=${tolerated}` : ''} does not hold: ${count} rows, ${tolerated} tolerated`,
    );
  }
  if (open !== null && (options.strict || result.evaluated === 0)) say(open);
  if (broken.length > 0) return EXIT.check;
  return options.strict && open !== null ? EXIT.inconclusive : EXIT.done;
}

async function selfCheck(
  policyPath: string | undefined,
  options: WhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (policyPath !== undefined)
    throw new UsageError('--self-check takes no policy: each row is replayed under its own revision');
  for (const [flag, given] of [
    ['--fail-on', options.failOn !== undefined],
    ['--source', options.source !== undefined],
  ] as const) {
    if (given)
      throw new UsageError(
        `${flag} has no meaning with --self-check`,
        'Leave it out: a mismatch exits with 1',
      );
  }
  const targets = parseOutputs(options.output ?? [], SELF_CHECK_FORMATS, 'table', [options.ledger]);
  const parameters = parseParameters(options);
  const parts = openParts(terminal);
  const progress = new Progress(terminal, globals, parts.clock.now);
  const ledger = await parts.openLedger(pathOfLedger(options), (read, size) => progress.bytes(read, size));
  try {
    const asOf = parameters.asOf ?? ledger.header.exportedAt;
    const result = await runSelfCheck({ ...parameters, asOf }, sourceOf(ledger), (rows) =>
      progress.rows(rows),
    );
    progress.end();
    const render = async (format: (typeof SELF_CHECK_FORMATS)[number], toStdout: boolean) => {
      if (format === 'json') return `${JSON.stringify(result)}\n`;
      if (format === 'yaml') return (await import('../../src/render/index.ts')).toYaml(result);
      const { renderSelfCheck } = await import('../ui/whatif-view.ts');
      return renderSelfCheck(result, {
        color: toStdout && usesColor(terminal, globals, 'out'),
        columns: terminal.columns,
        file: ledger.file,
      });
    };
    await writeOutputs(targets, render, parts, terminal);
    if (result.mismatch > 0) return EXIT.check;
    const open = result.checked === 0 || result.truncated || result.unknown > 0;
    return options.strict && open ? EXIT.inconclusive : EXIT.done;
  } finally {
    progress.end();
    await ledger.close();
  }
}

async function renderResult(
  format: Format,
  result: WhatIfResult,
  draft: ParsedPolicy,
  checks: ReturnType<typeof runChecks>,
  view: { readonly color: boolean; readonly columns: number; readonly env: Terminal['env'] },
): Promise<string> {
  if (format === 'json') return `${JSON.stringify(result)}\n`;
  const { file } = draft.places;
  if (format === 'table') {
    const { renderWhatIf } = await import('../ui/whatif-view.ts');
    return renderWhatIf(result, { ...view, file, checks });
  }
  const reports = await import('../../src/whatif/report/index.ts');
  const context = {
    file: format === 'github' || format === 'sarif' ? fromWorkspace(file, view.env) : file,
    version: VERSION,
    checks,
    placeOf: (path: string) =>
      placeOf(
        draft.places,
        path.split(/[.[\]]+/).filter((step) => step !== ''),
      ),
  };
  switch (format) {
    case 'yaml':
      return reports.toYaml(result);
    case 'markdown':
      return reports.toMarkdown(result, context);
    case 'html':
      return reports.toHtml(result, context);
    case 'sarif':
      return reports.toSarif(result, context);
    case 'junit':
      return reports.toJUnit(result, context);
    case 'github':
      return reports.toAnnotations(result, context);
  }
}

function parseParameters(options: WhatIfOptions): { days: number; limit: number; asOf: number | null } {
  const days = parseWhole('--days', options.days, 1, MAX_DAYS, 'the period');
  const limit = parseWhole('--limit', options.limit, 0, Number.MAX_SAFE_INTEGER, 'the limit');
  const asOf = options.asOf === undefined ? null : parseTime(options.asOf);
  if (Number.isNaN(asOf)) {
    throw new UsageError(
      `--as-of ${options.asOf}: this is not an RFC 3339 time`,
      'Write it as 2026-11-20T06:00:00Z',
    );
  }
  return { days, limit, asOf };
}

function pathOfLedger({ ledger }: WhatIfOptions): string {
  if (ledger !== undefined && ledger !== '') return ledger;
  throw new UsageError('no ledger is given', 'Name an export: --ledger FILE (or - for stdin)');
}
