import { printable } from '../../src/base/index.ts';
import { counted, markdownCell, markdownTable, markdownText } from '../../src/render/index.ts';
import { isImageAnswer, type AnswerDocument, type CheckDocument } from '../../src/checks/index.ts';
import { isFailing, stateOf, type State } from './view.ts';
import { fitRows, roomBeside } from '../terminal/comment-rows.ts';

/** CHECK_MARKER begins the report, so that a later run finds its own comment on a pull request. */
const CHECK_MARKER = '<!-- ipo-check -->';

const MOST_ROWS = 100;
const MOST_FACTS = 20;
const COLUMNS = ['', 'Image', 'Workload', 'Reason', 'Policy', 'To pass'].map((heading) => ({ heading }));
const MARKS: Readonly<Record<State, string>> = {
  refused: '❌ denied',
  undecided: '❓ not decided',
  audited: '⚠️ audited',
  admitted: '✅ admitted',
};

/** renderCheckMarkdown writes the answers as a comment on a pull request that a forge takes, the refusals first. */
export function renderCheckMarkdown(document: CheckDocument): string {
  const { results, pods, refused, audited, undecided, open, undecided_allowed, as_of } = document;
  const order: readonly State[] = ['refused', 'undecided', 'audited', 'admitted'];
  const hardened = pods.filter(({ label, warnings }) => label !== null || warnings.length > 0);
  const answers: AnswerDocument[] = [...results, ...hardened].toSorted(
    (a, b) => order.indexOf(stateOf(a)) - order.indexOf(stateOf(b)),
  );
  let heading = undecided > 0 ? `❓ ${undecided} not decided` : '✅ nothing is denied';
  if (open > 0 && !undecided_allowed) heading = `❌ ${open} not decided`;
  if (refused > 0) heading = `❌ ${refused} denied`;
  const before = [
    `${CHECK_MARKER}\n### Image policy check: ${heading}`,
    `${counted(results.length, 'image')} and ${counted(pods.length, 'pod')} as of ${as_of}: ${refused} denied, ${undecided} not decided, ${audited} would be denied if enforced.`,
  ];
  const after = factsOf(document);
  const rows = fitRows(
    answers.slice(0, MOST_ROWS).map((answer) => toRow(answer, document)),
    roomBeside([...before, ...after]),
  );
  const left = answers.length - rows.length;
  return `${[
    ...before,
    ...(rows.length > 0 ? [markdownTable(COLUMNS, rows)] : []),
    ...(left > 0 ? [`${counted(left, 'more answer')} not listed here.`] : []),
    ...after,
  ].join('\n\n')}\n`;
}

function toRow(answer: AnswerDocument, document: CheckDocument): string[] {
  const workload = `${answer.kind} ${answer.namespace}/${answer.name ?? ''}`;
  return [
    answer.allowed === null && isFailing(answer, document) ? '❌ not decided' : MARKS[stateOf(answer)],
    markdownCell(isImageAnswer(answer) ? answer.image : `${answer.kind ?? 'pod'} ${answer.name ?? ''}`, 160),
    markdownCell(answer.kind === null ? answer.namespace : workload, 120),
    markdownCell(
      [answer.reason, ...answer.warnings.map((warning) => `warning: ${warning}`)]
        .filter((text) => text !== '')
        .join('; '),
      400,
    ),
    markdownCell(answer.policy ?? '', 80),
    markdownCell(answer.remedy ?? '', 300),
  ];
}

function factsOf({ skipped, notes }: CheckDocument): string[] {
  const names = skipped
    .slice(0, MOST_FACTS)
    .map(({ kind, name }) => markdownText(printable(`${String(kind)} ${String(name)}`.trim(), 120)));
  const others = skipped.length > MOST_FACTS ? ' and others' : '';
  const points = notes.slice(0, MOST_FACTS).map((note) => `- ${markdownText(printable(note, 300))}`);
  return [
    ...(names.length > 0 ? [`Skipped: ${names.join(', ')}${others}.`] : []),
    ...(points.length > 0 ? [points.join('\n')] : []),
  ];
}
