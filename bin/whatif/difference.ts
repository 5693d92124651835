import { formatCount } from '../../src/render/index.ts';
import type { WhatIfResult } from '../../src/whatif/index.ts';
import { editText, headlineText, reachText, reasonsOf } from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import { openPaint } from '../terminal/paint.ts';

/** renderDifference says in a few lines what a draft would have changed, beside the difference of its text. */
export async function renderDifference(
  result: WhatIfResult,
  view: { readonly color: boolean; readonly columns: number },
): Promise<string> {
  const paint = await openPaint(view);
  const { chalk } = paint;
  const edit = editText(result);
  const reach = reachText(result);
  const reasons = (['would_deny', 'would_allow'] as const).flatMap((change) => {
    const texts = reasonsOf(result, change).map(
      ({ label, count }) => `${clean(label, 60)} ${formatCount(count)}`,
    );
    const [name, tone] =
      change === 'would_deny'
        ? (['would be denied', chalk.red] as const)
        : (['would be allowed', chalk.cyan] as const);
    const [first, ...more] = texts;
    return first === undefined ? [] : paint.items([`${name}: ${first}`, ...more], tone, 4);
  });
  return `\n${[
    chalk.bold(`What-if over ${result.days} days`),
    ...paint.sentence(clean(headlineText(result), 600)),
    ...(edit === null ? [] : paint.sentence(clean(edit, 600))),
    ...reasons,
    ...(reach === null
      ? []
      : paint.sentence(clean(`${reach.charAt(0).toUpperCase()}${reach.slice(1)}.`, 300), chalk.dim)),
  ].join('\n')}\n`;
}
