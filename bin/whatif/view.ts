import type { SelfCheckResult, WhatIfResult } from '../../src/whatif/index.ts';
import { changesNothing, type FailedCheck } from '../../src/whatif/report/index.ts';
import { changedFields, edit, figures, headline, subject } from './figures.ts';
import { changeGroups } from './groups.ts';
import { openPaint, type ViewOptions } from '../terminal/paint.ts';
import { selfCheckLines } from './self-check-view.ts';
import { checkLines, contextLines, nextSteps, noteLines, origin, unscannedLines } from './sections.ts';

/** renderWhatIf writes an answer for a person at a terminal, the sentence that matters first. */
export async function renderWhatIf(
  result: WhatIfResult,
  options: ViewOptions & { readonly checks?: readonly FailedCheck[] },
): Promise<string> {
  const paint = await openPaint(options);
  const { file, checks = [] } = options;
  const quiet = changesNothing(result);
  return assemble([
    [...headline(paint, result), ...edit(paint, result), ...subject(paint, result, file)],
    quiet ? [] : figures(paint, result),
    changedFields(paint, result),
    ...changeGroups(paint, result),
    origin(paint, result),
    contextLines(paint, result),
    unscannedLines(paint, result),
    noteLines(paint, result),
    checkLines(paint, checks),
    nextSteps(paint, result, checks),
  ]);
}

/** renderSelfCheck writes the answer of a self-check for a person at a terminal. */
export async function renderSelfCheck(result: SelfCheckResult, options: ViewOptions): Promise<string> {
  return assemble(selfCheckLines(await openPaint(options), result, options.file));
}

/** Sections stand apart by an empty line. */
function assemble(sections: readonly (readonly string[])[]): string {
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
