import type { SelfCheckResult, WhatIfResult } from '../../src/whatif/index.ts';
import { changesNothing, type FailedCheck } from '../../src/whatif/report/index.ts';
import type { Held } from './checks.ts';
import { changedFields, edit, figures, headline, subject } from './figures.ts';
import { changeGroups } from './groups.ts';
import { openPaint, type ViewOptions } from '../terminal/paint.ts';
import { selfCheckLines } from './self-check-view.ts';
import { checkLines, contextLines, nextSteps, noteLines, origin, unscannedLines } from './sections.ts';

/** WhatIfViewOptions say what the terminal can show, and how much of the answer. */
export interface WhatIfViewOptions extends ViewOptions {
  readonly checks?: readonly FailedCheck[];
  /** Whether nothing is left out. */
  readonly all?: boolean;
  /** Whether a person looks at it scrolling by. */
  readonly isWatched?: boolean;
  /** The period of the export. */
  readonly held?: Held | null;
}

/** Lines from which the beginning has scrolled away on most terminals. */
const SCREEN = 30;

/** renderWhatIf writes an answer for a person at a terminal, the sentence that matters first, and once more where it scrolled away. */
export async function renderWhatIf(result: WhatIfResult, options: WhatIfViewOptions): Promise<string> {
  const paint = await openPaint(options);
  const { file, checks = [], all = false, isWatched = false, held = null } = options;
  const quiet = changesNothing(result);
  const sections = [
    [...headline(paint, result), ...edit(paint, result), ...subject(paint, result, file)],
    quiet ? [] : figures(paint, result),
    changedFields(paint, result),
    ...changeGroups(paint, result, all),
    origin(paint, result),
    contextLines(paint, result),
    unscannedLines(paint, result, all),
    noteLines(paint, result, all),
    checkLines(paint, checks),
    nextSteps(paint, result, { checks, all, held }),
  ];
  const isLong = sections.flat().length > SCREEN;
  return assemble(isWatched && isLong ? [...sections, headline(paint, result)] : sections);
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
