import { runSelfCheck, runWhatIf as replay, sourceOf, type WhatIfResult } from '../../src/whatif/index.ts';
import type { WhatIfOptions } from './options.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { Progress } from '../terminal/progress.ts';
import { checkStdin, readOnePolicy } from '../files/index.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { openParts } from '../terminal/parts.ts';
import { UsageError } from '../terminal/usage.ts';
import { deliver, parseParameters, parseWanted, toDraft, warnAhead } from './answer.ts';
import { deliverSelfCheck, parseSelfCheck } from './self-check.ts';
import { checkFlags, draftPath } from './flags.ts';

/** runWhatIf is `ipo whatif` over an export: read the draft, replay, write every output, answer with the exit code. */
export async function runWhatIf(
  policyPath: string | undefined,
  options: WhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (options.selfCheck) return selfCheck(policyPath, options, terminal, globals);
  const wanted = parseWanted(options, [policyPath, options.ledger]);
  const parameters = parseParameters(options);
  checkFlags(options, '--ledger');
  const path = draftPath(policyPath, options);
  const ledgerPath = pathOfLedger(options);
  checkStdin([path, ledgerPath]);
  const parts = openParts(terminal);
  warnAhead(parameters.asOf, parts, terminal, globals);
  const draft = await readOnePolicy(path, parts);
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
  const { from, to } = ledger.header;
  const held = from === null || to === null ? null : { from, to };
  const answer = { result, json: JSON.stringify(result), draft: toDraft(draft.places), held };
  return deliver(answer, wanted, parts, terminal, globals);
}

async function selfCheck(
  policyPath: string | undefined,
  options: WhatIfOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseSelfCheck(policyPath, options);
  const parameters = parseParameters(options);
  checkFlags(options, '--ledger');
  const parts = openParts(terminal);
  warnAhead(parameters.asOf, parts, terminal, globals);
  const progress = new Progress(terminal, globals, parts.clock.now);
  const ledger = await parts.openLedger(pathOfLedger(options), (read, size) => progress.bytes(read, size));
  try {
    const asOf = parameters.asOf ?? ledger.header.exportedAt;
    const result = await runSelfCheck({ ...parameters, asOf }, sourceOf(ledger), (rows) =>
      progress.rows(rows),
    );
    progress.end();
    return await deliverSelfCheck(
      result,
      ledger.file,
      options.strict === true,
      targets,
      parts,
      terminal,
      globals,
    );
  } finally {
    progress.end();
    await ledger.close();
  }
}

function pathOfLedger({ ledger }: WhatIfOptions): string {
  if (ledger !== undefined && ledger !== '') return ledger;
  throw new UsageError('no ledger given', 'Give an export: --ledger FILE (or - for stdin)');
}
