import { DAY_MS, formatTime, parseTime, printable } from '../../base/index.ts';
import { counted, formatCount } from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';

/** HeadlinePart is a piece of the sentence that a reader sees first; the tone says what may be set off. */
export interface HeadlinePart {
  readonly text: string;
  readonly tone: 'plain' | 'name' | 'refused' | 'admitted';
}

/** headlineOf says in one sentence what the draft would have done. The policy's name is printable. */
export function headlineOf(result: WhatIfResult): readonly HeadlinePart[] {
  const { evaluated, would_deny: deny, would_allow: allow } = result;
  const name = { text: printable(result.policy.name), tone: 'name' } as const;
  const plain = (text: string) => ({ text, tone: 'plain' }) as const;
  const period = result.days === 1 ? 'the last day' : `the last ${result.days} days`;
  if (evaluated === 0) {
    const left = [
      ...(result.break_glass_skipped > 0
        ? [counted(result.break_glass_skipped, 'break-glass admission')]
        : []),
      ...(result.not_evaluated.count > 0
        ? [`${counted(result.not_evaluated.count, 'row')} that cannot be decided`]
        : []),
    ];
    return left.length === 0
      ? [plain(`No admission of ${period} is covered by `), name, plain(', so nothing was decided.')]
      : [
          plain(`Nothing was decided for `),
          name,
          plain(`: ${period} ${result.days === 1 ? 'holds' : 'hold'} only ${left.join(' and ')}.`),
        ];
  }
  if (deny === 0 && allow === 0) {
    const all = evaluated === 1 ? 'the one admission' : `all ${formatCount(evaluated)} admissions`;
    const newest =
      evaluated === 1 ? 'the newest admission' : `the newest ${formatCount(evaluated)} admissions`;
    const which = result.truncated ? newest : `${all} of ${period}`;
    const same = evaluated === 1 ? 'as it was' : 'as they were';
    return [name, plain(` would change nothing: ${which} would be answered ${same}.`)];
  }
  return [
    plain(`Of ${counted(evaluated, 'admission')}, `),
    name,
    plain(' would '),
    ...(deny > 0
      ? [
          { text: `deny ${formatCount(deny)}`, tone: 'refused' } as const,
          plain(` that ${deny === 1 ? 'was' : 'were'} allowed`),
        ]
      : []),
    ...(deny > 0 && allow > 0 ? [plain(' and ')] : []),
    ...(allow > 0
      ? [
          { text: `allow ${formatCount(allow)}`, tone: 'admitted' } as const,
          plain(` that ${allow === 1 ? 'was' : 'were'} denied`),
        ]
      : []),
    plain('.'),
  ];
}

/** headlineText is the headline as plain text. */
export function headlineText(result: WhatIfResult): string {
  return headlineOf(result)
    .map(({ text }) => text)
    .join('');
}

/** changesNothing tells an answer without a difference. */
export function changesNothing({ would_deny, would_allow }: WhatIfResult): boolean {
  return would_deny === 0 && would_allow === 0;
}

/** shortTime writes an RFC 3339 time as `2026-11-20 06:00`, UTC; what is not a time (a hostile ledger) as a dash. */
export function shortTime(time: string): string {
  const ms = parseTime(time);
  return Number.isNaN(ms) ? '–' : formatTime(ms).slice(0, 16).replace('T', ' ');
}

/** periodText writes the period of an answer: `2026-10-21 06:00 to 2026-11-20 06:00 UTC (30 days)`. */
export function periodText({ as_of, days }: { readonly as_of: string; readonly days: number }): string {
  const to = parseTime(as_of);
  const from = Number.isNaN(to) ? '' : `${shortTime(formatTime(to - days * DAY_MS))} to `;
  return `${from}${shortTime(as_of)} UTC (${counted(days, 'day')})`;
}

/**
 * reachText says how far back the rows go that a limit has left, which is less than the period; null where every row
 * was decided.
 */
export function reachText({ truncated, limit, by_day }: WhatIfResult): string | null {
  if (!truncated) return null;
  const newest = limit === 1 ? 'the newest row' : `the newest ${formatCount(limit)} rows`;
  const [oldest] = by_day;
  if (oldest === undefined) return `${newest} only`;
  return `${newest} ${limit === 1 ? 'reaches' : 'reach'} back to ${printable(oldest.date, 10)}`;
}

/** coverText is the period of an answer, and what of it a limit has left. */
export function coverText(result: WhatIfResult): string {
  const reach = reachText(result);
  return `${periodText(result)}${reach === null ? '' : `; ${reach}`}`;
}
