import { counted, formatCount, wrapWords } from '../../src/render/index.ts';
import type { WhatIfResult } from '../../src/whatif/index.ts';
import {
  changesNothing,
  contextText,
  countOfCheck,
  flagOf,
  notEvaluatedText,
  originOf,
  shortTime,
  type FailedCheck,
} from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import { isOutside, type Held } from './checks.ts';
import { imageCell, type Paint } from '../terminal/paint.ts';

const SHOWN_UNSCANNED = 5;
const LABEL = 22;

/** origin tells the edit apart from what has changed since the admissions. */
export function origin(paint: Paint, result: WhatIfResult): string[] {
  const { policy_effect: effect, input_drift: drift } = result.baseline;
  if (changesNothing(result) && effect.would_deny + effect.would_allow + drift === 0) return [];
  const points = originOf(result);
  if (points.length === 0) return [];
  return [
    paint.heading('Where the difference comes from'),
    ...points.flatMap(({ title, text }) => labelled(paint, title, clean(text, 600))),
  ];
}

/** contextLines sum up the signals of the decided rows. */
export function contextLines(paint: Paint, result: WhatIfResult): string[] {
  const { mode, signals, rows_without_context: without } = result.context;
  const seen = Object.entries(signals).filter(([, count]) => count > 0);
  if (result.evaluated === 0 || (mode === 'Ignore' && (seen.length === 0 || changesNothing(result))))
    return [];
  const list = seen.map(([signal, count]) => `${clean(signal, 60)} ${formatCount(count)}`);
  return [
    paint.heading(
      'Deployment context',
      mode === 'Escalate' ? 'rows by signal' : 'ignored by the draft; rows by signal',
    ),
    ...(mode === 'Escalate' ? paint.sentence(contextText(result)) : []),
    ...(seen.length === 0 ? [] : paint.items(list, paint.chalk.dim)),
    ...(without === 0
      ? []
      : paint.sentence(
          `${counted(without, 'row has', 'rows have')} no recorded deployment context, and ${without === 1 ? 'is' : 'are'} replayed without one.`,
          paint.chalk.dim,
        )),
  ];
}

/** unscannedLines name the images without a scan record that stand in most rows. */
export function unscannedLines(
  paint: Paint,
  { unscanned, unscanned_total: total }: WhatIfResult,
  isWhole: boolean,
): string[] {
  if (total === 0) return [];
  const shown = unscanned.slice(0, isWhole ? Infinity : SHOWN_UNSCANNED);
  const rows = shown.map(({ image, digest, rows }) => [
    { text: formatCount(rows) },
    imageCell(image),
    { text: clean(digest.slice(0, 19)), paint: paint.chalk.dim },
  ]);
  const left = total - shown.length;
  return [
    paint.heading('Without a scan record', `${counted(total, 'image')}; findings cannot deny them`),
    ...paint.table(
      [{ heading: 'rows', align: 'right' }, { heading: 'image', flex: 1 }, { heading: 'digest' }],
      rows,
    ),
    ...(left > 0 ? [paint.chalk.dim(`  … ${counted(left, 'more image')}`)] : []),
  ];
}

/** noteLines say which rows are in no figure and what to know when reading the counts. */
export function noteLines(paint: Paint, result: WhatIfResult, isWhole: boolean): string[] {
  const { not_evaluated: open, break_glass_skipped: bypassed, notes } = result;
  const entries = Object.entries(open.by_reason);
  const reasons = entries
    .slice(0, isWhole ? Infinity : 6)
    .map(
      ([reason, count]) =>
        `${clean(notEvaluatedText(reason))}${entries.length > 1 ? ` (${formatCount(count)})` : ''}`,
    );
  const points = [
    ...(open.count > 0 ? [`${counted(open.count, 'row')} could not be decided: ${reasons.join('; ')}.`] : []),
    ...(bypassed > 0
      ? [`${counted(bypassed, 'break-glass admission is', 'break-glass admissions are')} in no other figure.`]
      : []),
    ...notes.slice(0, isWhole ? Infinity : 12).map((note) => clean(note)),
  ];
  if (points.length === 0) return [];
  const lines = points.flatMap((point) =>
    wrapWords(point, Math.min(paint.columns, 110) - 4).map(
      (line, i) => `${i === 0 ? '  · ' : '    '}${line}`,
    ),
  );
  return [paint.heading('Notes'), ...lines.map((line) => paint.chalk.dim(line))];
}

/** checkLines say which `--fail-on` hold. */
export function checkLines(paint: Paint, checks: readonly FailedCheck[]): string[] {
  const { chalk } = paint;
  if (checks.length === 0) return [];
  const rows = checks.map((check) => [
    {
      text: check.broken ? '✗ failed' : '✓ passed',
      paint: check.broken ? chalk.red.bold : chalk.green,
    },
    { text: clean(flagOf(check)) },
    { text: clean(countOfCheck(check)), paint: chalk.bold },
    { text: `${formatCount(check.tolerated)} tolerated`, paint: chalk.dim },
  ]);
  return [
    paint.heading('Checks'),
    ...paint.table(
      [
        { heading: '' },
        { heading: '', flex: 1 },
        { heading: '', align: 'right' },
        { heading: '', align: 'right' },
      ],
      rows,
    ),
  ];
}

/** nextSteps are the few flags that help with this very answer. */
export function nextSteps(
  paint: Paint,
  result: WhatIfResult,
  {
    checks,
    all: isWhole,
    held,
  }: { readonly checks: readonly FailedCheck[]; readonly all: boolean; readonly held: Held | null },
): string[] {
  const quiet = changesNothing(result);
  const steps: (readonly [string, string])[] = [
    ...furtherBack(result, held),
    ...(result.truncated ? [['--limit 0', 'replay every row of the period'] as const] : []),
    ...(result.policy_changes === null && result.evaluated > 0
      ? [['--source NAME', 'compare with the policy from which you made the draft'] as const]
      : []),
    ...(quiet || isWhole ? [] : [['--all', 'every workload and note'] as const]),
    ...(quiet ? [] : [['-o html=report.html', 'a report with charts'] as const]),
    ...(quiet ? [] : [['-o markdown', 'a comment for the pull request'] as const]),
    ...(!quiet && checks.length === 0 && result.would_deny > 0
      ? [['--fail-on would_deny', 'fail a pipeline on this result'] as const]
      : []),
  ];
  if (steps.length === 0) return [];
  const rows = steps.map(([flag, does]) => [
    { text: flag, paint: paint.chalk.bold },
    { text: does, paint: paint.chalk.dim },
  ]);
  return [paint.heading('Next'), ...paint.table([{ heading: '' }, { heading: '', flex: 1 }], rows)];
}

/** What helps where nothing was decided: a longer period, or the time of the rows that there are. */
function furtherBack(result: WhatIfResult, held: Held | null): (readonly [string, string])[] {
  if (result.evaluated > 0) return [];
  if (isOutside(result, held))
    return [
      [
        `--as-of ${clean(held.to, 40)}`,
        `the export covers ${shortTime(held.from)} to ${shortTime(held.to)} UTC`,
      ],
    ];
  return result.days < 90 ? [['--days 90', 'look further back']] : [];
}

/** A title with its sentence beside it, or below it where there is little room. */
function labelled(paint: Paint, title: string, text: string): string[] {
  if (paint.columns < 80) return [`  ${paint.chalk.bold(title)}`, ...paint.sentence(text, String, 4)];
  const room = Math.min(paint.columns, 110) - LABEL - 4;
  return wrapWords(text, room).map(
    (line, i) => `  ${i === 0 ? title.padEnd(LABEL) : ' '.repeat(LABEL)}  ${line}`,
  );
}
