import { withPackage } from '../../src/app/index.ts';
import { summaryOf } from '../../src/evidence/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import type { EvidenceShowOptions } from './options.ts';
import { FORMATS, writeSummary } from './view.ts';

/** runEvidenceShow is `ipo evidence show`. */
export async function runEvidenceShow(
  file: string,
  options: EvidenceShowOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table', [file]);
  const summary = await withPackage(file, async ({ document }, { bytes }) => ({
    ...summaryOf(document),
    file,
    bytes,
  }));
  await writeSummary(targets, summary, terminal, globals);
  return EXIT.done;
}
