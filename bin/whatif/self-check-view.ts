import { counted, formatCount, formatShare } from '../../src/render/index.ts';
import type { SelfCheckMismatch, SelfCheckResult } from '../../src/whatif/index.ts';
import { periodText, shortTime } from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import { imageCell, type Paint } from '../terminal/paint.ts';

const SHOWN = 10;

/** selfCheckLines are the sections of a self-check: the sentence, the counts, and every mismatch that fits. */
export function selfCheckLines(
  paint: Paint,
  result: SelfCheckResult,
  file: string,
): readonly (readonly string[])[] {
  const { chalk } = paint;
  const { checked, reproduced, inputs_changed: changed, mismatch, unknown } = result;
  const tone = mismatch > 0 ? chalk.red.bold : chalk.bold;
  const row = (name: string, count: number, what: string, paintCount: (text: string) => string = String) => [
    { text: name },
    { text: formatCount(count), paint: count > 0 ? paintCount : chalk.dim },
    { text: formatShare(count, checked), paint: chalk.dim },
    { text: what, paint: chalk.dim },
  ];
  const counts = paint.table(
    [
      { heading: '' },
      { heading: '', align: 'right' },
      { heading: '', align: 'right' },
      { heading: '', flex: 1 },
    ],
    [
      row('reproduced', reproduced, 'same facts, same verdict', chalk.green),
      row('inputs changed', changed, 'the facts have changed since'),
      row('unknown', unknown, 'no revision, no facts recorded'),
      row('mismatch', mismatch, 'same facts, another verdict', chalk.red.bold),
    ],
  );
  const subject = [
    periodText(result),
    ...(result.truncated ? [`the newest ${formatCount(result.limit)} rows only`] : []),
    ...(result.break_glass_skipped > 0
      ? [`${counted(result.break_glass_skipped, 'break-glass admission')} skipped`]
      : []),
    clean(file),
  ];
  return [
    [...paint.sentence(sentenceOf(result), tone, 0), ...paint.items(subject, chalk.dim, 0)],
    checked === 0 ? [] : counts,
    mismatchLines(paint, result.mismatches, mismatch),
    mismatch === 0
      ? []
      : paint.sentence(
          'A mismatch is a defect of the service. Please report it with these rows (-o json prints them whole).',
          String,
          0,
        ),
  ];
}

function sentenceOf({ checked, reproduced, mismatch, days }: SelfCheckResult): string {
  if (checked === 0) return `No row of the last ${counted(days, 'day')} could be checked.`;
  if (mismatch > 0)
    return `${counted(mismatch, 'row')} of ${formatCount(checked)} ${mismatch === 1 ? 'does' : 'do'} not give the recorded verdict on the recorded facts.`;
  if (reproduced === checked)
    return `${checked === 1 ? 'The one row gives' : `All ${formatCount(checked)} rows give`} the recorded verdict again.`;
  return `No mismatch: ${formatCount(reproduced)} of ${counted(checked, 'row')} ${reproduced === 1 ? 'gives' : 'give'} the recorded verdict again, the others cannot be compared.`;
}

function mismatchLines(paint: Paint, mismatches: readonly SelfCheckMismatch[], total: number): string[] {
  if (mismatches.length === 0) return [];
  const { chalk } = paint;
  const verdict = ({ allowed, label }: SelfCheckMismatch['recorded']): string =>
    allowed ? 'allowed' : `denied: ${clean(label ?? 'other', 40)}`;
  const rows = mismatches
    .slice(0, SHOWN)
    .map((row) => [
      { text: String(row.id) },
      { text: shortTime(row.time), paint: chalk.dim },
      { text: clean(`${row.namespace ?? '–'}/${row.pod ?? '–'}`) },
      imageCell(row.image),
      { text: verdict(row.recorded) },
      { text: verdict(row.replayed), paint: chalk.red },
    ]);
  const columns = [
    { heading: 'row', align: 'right' },
    { heading: 'time (UTC)' },
    { heading: 'pod', flex: 2 },
    { heading: 'image', flex: 3 },
    { heading: 'recorded', flex: 2 },
    { heading: 'replayed', flex: 2 },
  ] as const;
  const left = total - rows.length;
  return [
    paint.heading('Mismatches', 'newest first'),
    ...paint.table(columns, rows),
    ...(left > 0 ? [chalk.dim(`  … ${formatCount(left)} more`)] : []),
  ];
}
