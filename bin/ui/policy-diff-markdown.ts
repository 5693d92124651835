import type { Comparison } from '../../src/policy/index.ts';
import { markdownCell, markdownCode, markdownTable, markdownText } from '../../src/render/index.ts';
import { headOf, linesOf, sumUp, type Show } from './policy-diff-view.ts';

/** renderComparisonMarkdown writes the differences as tables, for a comment on a pull request. */
export function renderComparisonMarkdown(comparison: Comparison, show: Show): string {
  const { before, after, policies } = comparison;
  const blocks = policies.flatMap((pair) => {
    const head = `### ${markdownCode(pair.name)}${markdownText(headOf(pair, before, after))}`;
    if (pair.changes.length === 0) return [head, ''];
    const rows = pair.changes.map((change) => [
      change.direction,
      markdownCell(change.path),
      linesOf(change, show)
        .map((line) => markdownCell(line, 400))
        .join('<br>'),
    ]);
    return [
      head,
      '',
      markdownTable([{ heading: 'Effect' }, { heading: 'Field' }, { heading: 'Change' }], rows).trimEnd(),
      '',
    ];
  });
  return [...blocks, markdownText(sumUp(comparison)), ''].join('\n');
}
