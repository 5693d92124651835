import {
  counted,
  cutMiddle,
  formatCount,
  formatShare,
  markdownCell,
  markdownCode,
  markdownTable,
  markdownText,
} from '../../render/index.ts';
import type { ChangeGroup, WhatIfResult } from '../result.ts';
import { changeLines, fieldText } from './change-lines.ts';
import { countOfCheck, flagOf, type ReportContext } from './context.ts';
import { changesNothing, coverText, headlineOf, shortTime } from './headline.ts';
import { labelTitle } from './label-help.ts';
import { contextText, editText, notEvaluatedText, originOf, sourceText } from './origin.ts';
import { imageText, reasonsOf, workloadText } from './reasons.ts';

/** MARKER is the first line of every comment: a bot finds its own comment by it and writes over it. */
export const MARKER = '<!-- ipo-whatif -->';

/** MOST_MARKDOWN is the most characters of a comment; the forges take little more. */
export const MOST_MARKDOWN = 65_000;

const SHOWN_GROUPS = 20;
const SHOWN_FIELDS = 40;
const FIELD_CHARACTERS = 9_000;
const SHOWN_UNSCANNED = 10;

/** Its second line tells it from the comment on another policy of the same pull request; a name cannot end it, whatever stands in it. */
function markerOf({ policy }: WhatIfResult): string {
  const name = encodeURIComponent(policy.name.toWellFormed()).replaceAll(/[^\w.%-]/g, '_');
  return `<!-- ipo-whatif:${name.slice(0, 253)} -->`; // as many characters as a name in Kubernetes has
}

/** toMarkdown writes an answer as the comment of a pull request, never longer than MOST_MARKDOWN. */
export function toMarkdown(result: WhatIfResult, context: ReportContext): string {
  const [shown, rest] = [result.groups.slice(0, SHOWN_GROUPS), result.groups.slice(SHOWN_GROUPS)];
  const before = [
    `${MARKER}\n${markerOf(result)}`,
    `### What-if: ${markdownCode(result.policy.name)}`,
    headline(result),
    ...checks(context),
    period(result, context),
  ];
  if (result.evaluated > 0) before.push(figures(result));
  before.push(...changedFields(result), ...reasons(result));
  if (shown.length > 0) before.push(`**Workloads**\n\n${groupTable(shown)}`);
  const after = [...moreFacts(result), footer(result, context)];
  const used = [...before, ...after].join('\n\n').length;
  return `${[...before, ...moreGroups(rest, result, MOST_MARKDOWN - 500 - used), ...after].join('\n\n')}\n`;
}

function headline(result: WhatIfResult): string {
  const parts = headlineOf(result).map(({ text, tone }) => {
    if (tone === 'name') return markdownCode(text);
    return tone === 'plain' ? markdownText(text) : `**${text}**`;
  });
  const edit = editText(result);
  return edit === null ? parts.join('') : `${parts.join('')} ${markdownText(edit)}`;
}

function checks({ checks }: ReportContext): string[] {
  if (checks.length === 0) return [];
  const lines = checks.map((check) => {
    const held = check.broken ? ':x: failed' : ':white_check_mark: passed';
    return `- ${held}: ${markdownCode(flagOf(check))} (${countOfCheck(check)}, ${formatCount(check.tolerated)} tolerated)`;
  });
  return [lines.slice(0, 30).join('\n')];
}

function period(result: WhatIfResult, { file }: ReportContext): string {
  const from = sourceText(result, markdownCode);
  return `${markdownCode(file)}${from === null ? '' : `, ${from}`} · ${coverText(result)} · ${counted(result.distinct_images, 'image digest')}`;
}

function figures(result: WhatIfResult): string {
  const row = (name: string, count: number): string[] => [
    name,
    formatCount(count),
    formatShare(count, result.evaluated),
  ];
  return markdownTable(
    [{ heading: 'Admissions' }, { heading: 'Rows', numeric: true }, { heading: 'Share', numeric: true }],
    [
      row('would be denied', result.would_deny),
      row('would be allowed', result.would_allow),
      row('unchanged', result.unchanged),
      row('**decided**', result.evaluated),
    ],
  );
}

/** A block of a difference: each line begins with a sign of ours, so that none can end the block. */
function changedFields({ policy_changes: changes }: WhatIfResult): string[] {
  if (changes === null) return [];
  if (changes.length === 0) return ['**Changed fields:** none'];
  const lines: string[] = [];
  let used = 0;
  for (const change of changes.slice(0, SHOWN_FIELDS)) {
    const block = [
      `@@ ${fieldText(change)} @@`,
      ...changeLines(change, 5).map(({ sign, text }) => (sign === '…' ? `# ${text}` : `${sign} ${text}`)),
    ];
    used += block.join('\n').length + 1;
    if (used > FIELD_CHARACTERS) break;
    lines.push(...block);
  }
  const left = changes.length - lines.filter((line) => line.startsWith('@@ ')).length;
  if (left > 0) lines.push(`# and ${counted(left, 'more field')}`);
  return [`**Changed fields**\n\n\`\`\`diff\n${lines.join('\n')}\n\`\`\``];
}

function reasons(result: WhatIfResult): string[] {
  if (changesNothing(result)) return [];
  const rows = (['would_deny', 'would_allow'] as const).flatMap((change) =>
    reasonsOf(result, change).map(({ label, count }) => [
      change === 'would_deny' ? 'would be denied' : 'would be allowed',
      labelTitle(label) === ''
        ? markdownCell(label)
        : `${markdownCell(label)}: ${markdownText(labelTitle(label))}`,
      formatCount(count),
    ]),
  );
  return [
    markdownTable([{ heading: 'Change' }, { heading: 'Reason' }, { heading: 'Rows', numeric: true }], rows),
  ];
}

const GROUP_COLUMNS = [
  { heading: 'Change' },
  { heading: 'Rows', numeric: true },
  { heading: 'Workload' },
  { heading: 'Image' },
  { heading: 'Reason' },
  { heading: 'Newest' },
];

function groupTable(groups: readonly ChangeGroup[]): string {
  return markdownTable(GROUP_COLUMNS, groups.map(groupRow));
}

function groupRow(group: ChangeGroup): string[] {
  return [
    group.change === 'would_deny' ? 'denied' : 'allowed',
    formatCount(group.rows),
    markdownCell(cutMiddle(workloadText(group), 80)),
    markdownCell(imageText(group.image, 100)),
    markdownCell(group.reason, 110),
    shortTime(group.newest),
  ];
}

/** As many of the other groups as fit, folded away. */
function moreGroups(groups: readonly ChangeGroup[], result: WhatIfResult, room: number): string[] {
  if (groups.length === 0) return [];
  const fitting: ChangeGroup[] = [];
  let used = 300;
  for (const group of groups) {
    used += groupRow(group).join(' | ').length + 6;
    if (used > room) break;
    fitting.push(group);
  }
  const left = result.groups_total - SHOWN_GROUPS - fitting.length;
  const note =
    left > 0 ? `\n\n${counted(left, 'further workload')} ${left === 1 ? 'is' : 'are'} not listed.` : '';
  if (fitting.length === 0) return [note.trim()];
  return [
    `<details><summary>${counted(fitting.length, 'more workload')}</summary>\n\n${groupTable(fitting)}${note}\n\n</details>`,
  ];
}

function moreFacts(result: WhatIfResult): string[] {
  const { not_evaluated: open, unscanned, context } = result;
  const points = [
    ...originOf(result).map(({ title, text }) => `**${title}.** ${markdownText(text)}`),
    ...(context.mode === 'Escalate' ? [`**Deployment context.** ${markdownText(contextText(result))}`] : []),
    ...(open.count > 0
      ? [
          `**Not decided:** ${counted(open.count, 'row')} (${Object.entries(open.by_reason)
            .slice(0, 8)
            .map(([reason, count]) => `${markdownText(notEvaluatedText(reason))}: ${formatCount(count)}`)
            .join('; ')}).`,
        ]
      : []),
    ...(result.break_glass_skipped > 0
      ? [`**Break-glass:** ${counted(result.break_glass_skipped, 'admission')}.`]
      : []),
    ...[...result.notes, ...(context.note === undefined ? [] : [context.note])]
      .slice(0, 12)
      .map((note) => markdownText(note.slice(0, 300))),
  ].map((point) => `- ${point}`);
  const folded =
    unscanned.length === 0
      ? []
      : [
          `<details><summary>${counted(result.unscanned_total, 'image')} without a scan record</summary>\n\n${markdownTable(
            [{ heading: 'Image' }, { heading: 'Digest' }, { heading: 'Rows', numeric: true }],
            unscanned
              .slice(0, SHOWN_UNSCANNED)
              .map(({ image, digest, rows }) => [
                markdownCell(imageText(image, 100)),
                markdownCell(digest, 80),
                formatCount(rows),
              ]),
          )}\n\n</details>`,
        ];
  return [points.join('\n'), ...folded].filter((text) => text !== '');
}

function footer(result: WhatIfResult, { version }: ReportContext): string {
  return `<sub>ipo ${markdownCode(version)} · inputs ${markdownCode(result.inputs_digest)}</sub>`;
}
