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
  const document = await withPackage(file, async (pkg) => pkg.document);
  await writeSummary(targets, { ...summaryOf(document), file }, terminal, globals);
  return EXIT.done;
}
