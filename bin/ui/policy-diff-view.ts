import { Chalk } from 'chalk';
import { printable } from '../../src/base/index.ts';
import type { Authoring, Comparison, FieldChange, PolicyPair } from '../../src/policy/index.ts';
import { plural } from './policy-problems.ts';

/** Show are the ways to write values. */
export type Show = Pick<Authoring, 'showEntry' | 'showValue'>;

/** renderComparison writes the differences for a terminal, and one line that sums them up. */
export function renderComparison(comparison: Comparison, show: Show, color: boolean): string {
  const paint = new Chalk({ level: color ? 1 : 0 });
  const words = {
    tighter: paint.green('tighter'),
    looser: paint.yellow('looser '),
    neither: paint.dim('neither'),
  };
  const { before, after, policies } = comparison;
  const width = Math.max(0, ...policies.flatMap(({ changes }) => changes.map(({ path }) => path.length)));
  const blocks = policies.flatMap((pair) => {
    const lines = pair.changes.flatMap((change) =>
      linesOf(change, show).map((line, i) =>
        i === 0
          ? `  ${words[change.direction]}  ${change.path.padEnd(width)}  ${line}`
          : `${' '.repeat(width + 13)}${line}`,
      ),
    );
    return [`${paint.bold(pair.name)}${headOf(pair, before, after)}`, ...lines];
  });
  return [...blocks, sumUp(comparison), ''].join('\n');
}

/** headOf says what stands behind the name of a policy. */
export function headOf(
  { status, before_revision, after_revision }: PolicyPair,
  before: string,
  after: string,
): string {
  switch (status) {
    case 'added':
      return ` stands in ${printable(after)} alone`;
    case 'removed':
      return ` stands in ${printable(before)} alone`;
    case 'same':
      return before_revision === after_revision
        ? ' is the same'
        : ' means the same, written in another order (its revision differs)';
    case 'changed':
      return '';
  }
}

/** linesOf says how a field changed: before and after, or the entries that came and went. */
export function linesOf(
  { path, before, after, entries }: FieldChange,
  { showEntry, showValue }: Show,
): string[] {
  const emptied =
    entries !== null && [before, after].some((list) => Array.isArray(list) && list.length === 0);
  if (entries === null || (emptied && showValue(path, []) !== 'none'))
    return [`${showValue(path, before)} → ${showValue(path, after)}`];
  return [
    ...entries.added.map((entry) => `+ ${showEntry(entry)}`),
    ...entries.removed.map((entry) => `- ${showEntry(entry)}`),
    ...entries.changed.map((entry) => `~ ${showEntry(entry.before)} → ${showEntry(entry.after)}`),
  ];
}

/** sumUp says the whole difference in one line. */
export function sumUp({ summary, before, after }: Comparison): string {
  const { changed, added, removed, tighter, looser, neither } = summary;
  if (changed + added + removed === 0) return `${printable(before)} and ${printable(after)} mean the same`;
  const parts = [
    ...(changed > 0
      ? [`${plural(changed, 'policy')} changed (${tighter} tighter, ${looser} looser, ${neither} neither)`]
      : []),
    ...(added > 0 ? [`${plural(added, 'policy')} added`] : []),
    ...(removed > 0 ? [`${plural(removed, 'policy')} removed`] : []),
  ];
  return parts.join(', ');
}
