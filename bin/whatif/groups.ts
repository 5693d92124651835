import { counted, cutMiddle, displayWidth, formatCount } from '../../src/render/index.ts';
import type { WhatIfResult } from '../../src/whatif/index.ts';
import {
  labelTitle,
  reasonsOf,
  shortTime,
  workloadText,
  type Reason,
} from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import { imageCell, type Cell, type Column, type Paint } from '../terminal/paint.ts';

/** This many groups are shown over all reasons, each reason at least three. */
const SHOWN = 24;
const LEAST = 3;
const INDENT = 4;

const COLUMNS: readonly Column[] = [
  { heading: 'rows', align: 'right' },
  { heading: 'workload', flex: 2 },
  { heading: 'image', flex: 3 },
  { heading: 'newest (UTC)' },
];

/** A reason with the groups of it that are shown, those of one workload together. */
interface Shown {
  readonly reason: Reason;
  readonly rows: readonly (readonly Cell[])[];
  /** Rows of the reason that stand in none of them. */
  readonly left: number;
}

/** changeGroups shows the differences by reason, and within a reason by workload and image: one block for each change. */
export function changeGroups(
  paint: Paint,
  result: WhatIfResult,
  isWhole: boolean,
): readonly (readonly string[])[] {
  const changes = [reasonsOf(result, 'would_deny'), reasonsOf(result, 'would_allow')] as const;
  const most = isWhole ? Infinity : Math.max(LEAST, Math.floor(SHOWN / Math.max(1, changes.flat().length)));
  const [refused, admitted] = changes.map((reasons) => reasons.map((reason) => toShown(paint, reason, most)));
  const all = [...(refused ?? []), ...(admitted ?? [])];
  const widths = paint.widthsOf(
    COLUMNS,
    all.flatMap(({ rows }) => rows),
    INDENT,
  );
  const { chalk } = paint;
  const block = (
    title: string,
    count: number,
    tone: (text: string) => string,
    shown: readonly Shown[],
  ): string[] => {
    if (shown.length === 0) return [];
    return [
      `${paint.heading(title)}  ${tone(formatCount(count))}`,
      ...(shown.some(({ rows }) => rows.length > 0) ? paint.table(COLUMNS, [], INDENT, widths) : []),
      ...shown.flatMap((entry, i) => [...(i === 0 ? [] : ['']), ...reasonLines(paint, entry, widths, tone)]),
    ];
  };
  return [
    block('Would be denied', result.would_deny, chalk.red.bold, refused ?? []),
    block('Would be allowed', result.would_allow, chalk.cyan.bold, admitted ?? []),
  ];
}

function toShown({ chalk, columns }: Paint, reason: Reason, most: number): Shown {
  const groups = byWorkload(reason.groups.slice(0, most));
  const rows = groups.map((group, i): Cell[] => {
    const previous = groups[i - 1];
    const again = previous !== undefined && workloadText(previous) === workloadText(group);
    return [
      { text: formatCount(group.rows) },
      { text: again ? '' : clean(nameOf(group)) },
      imageCell(group.image),
      // On a narrow terminal the year takes precedence over a name is cut.
      { text: shortTime(group.newest).replace(columns < 80 ? /^\d{4}-/ : '', ''), paint: chalk.dim },
    ];
  });
  return { reason, rows, left: reason.count - groups.reduce((sum, group) => sum + group.rows, 0) };
}

/** Pods that are joined are told by their number: no one name stands for them. */
function nameOf(group: Reason['groups'][number]): string {
  const { namespace, others } = group;
  return others === 0 ? workloadText(group) : `${namespace ?? '–'} (${counted(others + 1, 'pod')})`;
}

function reasonLines(
  paint: Paint,
  { reason, rows, left }: Shown,
  widths: readonly number[],
  tone: (text: string) => string,
): string[] {
  const { chalk } = paint;
  const { columns } = paint;
  const count = counted(reason.count, 'row');
  const label = cutMiddle(clean(reason.label, 60), columns - count.length - 4);
  const title = labelTitle(reason.label);
  const sentence = reason.groups[0]?.reason ?? '';
  const beside =
    displayWidth(`  ${label}  ${count}  ${title}`) <= columns && title !== '' ? chalk.dim(`  ${title}`) : '';
  return [
    `  ${chalk.bold(label)}  ${tone(count)}${beside}`,
    ...(rows.length === 0 ? [] : paint.table(COLUMNS.map(withoutHeading), rows, INDENT, widths)),
    ...(left > 0 && rows.length > 0
      ? [chalk.dim(`${' '.repeat(INDENT)}… ${counted(left, 'more row')}`)]
      : []),
    ...(sentence === '' ? [] : [chalk.dim(paint.line(`such as: ${clean(sentence)}`, INDENT))]),
  ];
}

function withoutHeading(column: Column): Column {
  return { ...column, heading: '' };
}

/** Groups of one workload stand together, the workload with most rows first. */
function byWorkload<G extends Reason['groups'][number]>(groups: readonly G[]): readonly G[] {
  const workloads = new Map<string, G[]>();
  for (const group of groups) {
    const key = JSON.stringify([group.namespace, group.workload]);
    const known = workloads.get(key);
    if (known === undefined) workloads.set(key, [group]);
    else known.push(group);
  }
  const sum = (list: readonly G[]): number => list.reduce((all, { rows }) => all + rows, 0);
  return [...workloads.values()].toSorted((a, b) => sum(b) - sum(a)).flat();
}
