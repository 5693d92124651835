import { markdownCell, markdownTable, markdownText } from '../../src/render/index.ts';
import type { AnswerDocument, CheckDocument, ImageDocument } from '../run/check-document.ts';
import { stateOf, type State } from './check-view.ts';

/** CHECK_MARKER begins the report, so that a later run finds its own comment on a pull request. */
export const CHECK_MARKER = '<!-- ipo-check -->';

/** A forge takes comments of about 65,000 characters. */
const MOST_ROWS = 100;
const MARKS: Readonly<Record<State, string>> = {
  refused: '❌ refused',
  undecided: '❓ not decided',
  audited: '⚠️ audited',
  admitted: '✅ admitted',
};

/** renderCheckMarkdown writes the answers as a comment on a pull request, the refusals first. */
export function renderCheckMarkdown(document: CheckDocument): string {
  const { results, pods, refused, audited, undecided, as_of, skipped, notes } = document;
  const order: readonly State[] = ['refused', 'undecided', 'audited', 'admitted'];
  const hardened = pods.filter(({ label, warnings }) => label !== null || warnings.length > 0);
  const answers: AnswerDocument[] = [...results, ...hardened].toSorted(
    (a, b) => order.indexOf(stateOf(a)) - order.indexOf(stateOf(b)),
  );
  const rows = answers
    .slice(0, MOST_ROWS)
    .map((answer) => [
      MARKS[stateOf(answer)],
      markdownCell(isImage(answer) ? answer.image : `${answer.kind ?? 'pod'} ${answer.name ?? ''}`, 160),
      markdownCell(
        answer.kind === null ? answer.namespace : `${answer.kind} ${answer.namespace}/${answer.name ?? ''}`,
        120,
      ),
      markdownCell(
        [answer.reason, ...answer.warnings.map((warning) => `warning: ${warning}`)]
          .filter((text) => text !== '')
          .join('; '),
        400,
      ),
      markdownCell(answer.policy ?? '', 80),
      markdownCell(answer.remedy ?? '', 300),
    ]);
  const heading =
    refused > 0
      ? `❌ ${refused} refused`
      : undecided > 0
        ? `❓ ${undecided} not decided`
        : '✅ nothing is refused';
  const columns = ['', 'Image', 'Workload', 'Reason', 'Policy', 'To pass'].map((heading) => ({ heading }));
  return `${[
    CHECK_MARKER,
    `### Image policy check: ${heading}`,
    '',
    `${results.length} images and ${pods.length} pods as of ${as_of}: ${refused} refused, ${undecided} not decided, ${audited} would be refused if enforced.`,
    ...(rows.length > 0 ? ['', markdownTable(columns, rows)] : []),
    ...(answers.length > MOST_ROWS ? ['', `${answers.length - MOST_ROWS} more are not listed here.`] : []),
    ...(skipped.length > 0
      ? [
          '',
          `Skipped: ${skipped
            .slice(0, 20)
            .map(({ kind, name }) => markdownText(`${String(kind)} ${String(name)}`.trim()))
            .join(', ')}${skipped.length > 20 ? ' and others' : ''}.`,
        ]
      : []),
    ...notes.slice(0, 20).map((note) => `\n- ${markdownText(note)}`),
  ].join('\n')}\n`;
}

function isImage(answer: AnswerDocument): answer is ImageDocument {
  return 'image' in answer;
}
