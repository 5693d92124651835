import type { Comparison, FieldChange } from '../../src/policy/index.ts';
import { counted, markdownCell, markdownCode, markdownTable, markdownText } from '../../src/render/index.ts';
import { fitRows, roomBeside, rowLength } from '../terminal/comment-rows.ts';
import { headOf, linesOf, sumUp, type Show } from './diff-view.ts';

const COLUMNS = [{ heading: 'Effect' }, { heading: 'Field' }, { heading: 'Change' }];
const HEADING = 60;
const MOST_LINES = 20;

/** renderComparisonMarkdown writes the differences as tables, for a comment on a pull request that a forge takes. */
export function renderComparisonMarkdown(comparison: Comparison, show: Show): string {
  const { before, after, policies } = comparison;
  const sum = markdownText(sumUp(comparison));
  const blocks: string[] = [];
  let room = roomBeside([sum]);
  let unlisted = 0;
  for (const pair of policies) {
    const head = `### ${markdownCode(pair.name)}${markdownText(headOf(pair, before, after))}`;
    room -= head.length + HEADING;
    const rows = fitRows(rowsOf(pair.changes, show), room);
    const left = pair.changes.length - rows.length;
    // What is left out ends the list: a shorter change further down would hide that one is missing.
    if (room < 0 || left > 0) room = 0;
    else room -= rows.reduce((used, row) => used + rowLength(row), 0);
    unlisted += left;
    if (room > 0 || rows.length > 0) blocks.push(head, '');
    else if (pair.changes.length === 0) unlisted += 1;
    if (rows.length > 0) blocks.push(markdownTable(COLUMNS, rows).trimEnd(), '');
  }
  if (unlisted > 0) blocks.push(`${counted(unlisted, 'more difference')} not listed here.`, '');
  return [...blocks, sum, ''].join('\n');
}

function* rowsOf(changes: readonly FieldChange[], show: Show): Generator<string[]> {
  for (const change of changes) {
    const lines = linesOf(change, show);
    const shown = lines.slice(0, MOST_LINES).map((line) => markdownCell(line, 400));
    if (lines.length > MOST_LINES) shown.push(`and ${lines.length - MOST_LINES} more`);
    yield [change.direction, markdownCell(change.path), shown.join('<br>')];
  }
}
