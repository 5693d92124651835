import { counted, formatCount, formatShare, wrapWords } from '../../src/render/index.ts';
import type { WhatIfResult } from '../../src/whatif/index.ts';
import {
  changeLines,
  daysOf,
  editText,
  fieldText,
  headlineOf,
  periodText,
  reachText,
  sourceText,
} from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';
import type { Paint } from '../terminal/paint.ts';

const SHOWN_FIELDS = 24;

/** headline is the sentence that is read first. */
export function headline(paint: Paint, result: WhatIfResult): string[] {
  const { chalk } = paint;
  const tones = { plain: String, name: chalk.bold, refused: chalk.red.bold, admitted: chalk.cyan.bold };
  // Words are wrapped first and painted after, so that no colour counts as width.
  const words = headlineOf(result).flatMap(({ text, tone }) =>
    clean(text, 200)
      .split(/(?<= )/)
      .map((word) => ({ word, tone })),
  );
  const plain = words.map(({ word }) => word).join('');
  let rest = words.flatMap(({ word, tone }) => Array.from(word, (char) => ({ char, tone })));
  return wrapWords(plain, paint.columns).map((line) => {
    const shown = rest.slice(0, [...line].length);
    rest = rest.slice(shown.length + (rest[shown.length]?.char === ' ' ? 1 : 0));
    let text = '';
    for (let i = 0; i < shown.length;) {
      const { tone } = shown[i] ?? { tone: 'plain' as const };
      let end = i;
      while (end < shown.length && shown[end]?.tone === tone) end += 1;
      text += tones[tone](
        shown
          .slice(i, end)
          .map(({ char }) => char)
          .join(''),
      );
      i = end;
    }
    return text;
  });
}

/** edit says what the edit itself does, where that is another thing. */
export function edit(paint: Paint, result: WhatIfResult): string[] {
  const text = editText(result);
  return text === null ? [] : paint.sentence(clean(text, 600), String, 0);
}

/** subject says in a quiet line what was replayed. */
export function subject(paint: Paint, result: WhatIfResult, file: string): string[] {
  const reach = reachText(result);
  const from = sourceText(result, clean);
  const parts = [
    periodText(result),
    ...(result.evaluated > 0
      ? [counted(result.distinct_images, 'image digest'), 'a row is one image of an admission']
      : []),
    ...(reach === null ? [] : [clean(reach)]),
    ...(from === null ? [] : [from]),
    clean(file),
  ];
  return paint.items(parts, paint.chalk.dim, 0);
}

/** figures are the three counts with bars on one scale. */
export function figures(paint: Paint, result: WhatIfResult): string[] {
  const { chalk } = paint;
  const { evaluated, would_deny, would_allow, unchanged } = result;
  const width = Math.max(8, Math.min(48, paint.columns - 44));
  const row = (name: string, count: number, tone: (text: string) => string, countTone = chalk.bold) => [
    { text: name },
    { text: formatCount(count), paint: count > 0 ? (text: string) => tone(countTone(text)) : chalk.dim },
    { text: formatShare(count, evaluated), paint: chalk.dim },
    { text: paint.bar(count / Math.max(1, evaluated), width), paint: tone },
  ];
  return [
    ...paint.table(
      [
        { heading: '' },
        { heading: '', align: 'right' },
        { heading: '', align: 'right' },
        { heading: '', flex: 1 },
      ],
      [
        row('would be denied', would_deny, chalk.red),
        row('would be allowed', would_allow, chalk.cyan),
        row('unchanged', unchanged, chalk.dim, chalk),
      ],
    ),
    '',
    `  ${chalk.dim('changes by day')}    ${sparkline(paint, result)}`,
  ];
}

const SPARKS = [...'▁▂▃▄▅▆▇█'];

/** The changed rows of each day that the rows reach back to, or of a few days together where there is little room. */
function sparkline(paint: Paint, result: WhatIfResult): string {
  const days = daysOf(result);
  const each = Math.ceil(days.length / (paint.columns - 48));
  const sums: number[] = [];
  days.forEach(({ would_deny, would_allow }, i) => {
    const at = Math.floor(i / each);
    sums[at] = (sums[at] ?? 0) + would_deny + would_allow;
  });
  const most = Math.max(1, ...sums);
  const line = sums
    .map((sum) => (sum === 0 ? ' ' : SPARKS[Math.max(0, Math.ceil((sum / most) * SPARKS.length) - 1)]))
    .join('');
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''].map((date) =>
    paint.chalk.dim(clean(date.slice(5), 10)),
  );
  return `${first} ${paint.chalk.red(line)} ${last}`;
}

/** changedFields shows what the draft changes on the policy in effect. */
export function changedFields(paint: Paint, { policy_changes: changes }: WhatIfResult): string[] {
  const { chalk } = paint;
  if (changes === null) return [];
  if (changes.length === 0)
    return [paint.heading('Changed fields', 'none: the draft means the same as the policy in effect')];
  const tones = { '-': chalk.red, '+': chalk.green, '…': chalk.dim };
  const lines = changes
    .slice(0, SHOWN_FIELDS)
    .flatMap((change) => [
      paint.line(clean(fieldText(change))),
      ...changeLines(change, 4).map(({ sign, text }) => tones[sign](paint.line(`${sign} ${clean(text)}`, 4))),
    ]);
  const left = changes.length - SHOWN_FIELDS;
  return [
    paint.heading('Changed fields'),
    ...lines,
    ...(left > 0 ? [chalk.dim(`  … ${counted(left, 'more field')}`)] : []),
  ];
}
