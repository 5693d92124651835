import { Chalk } from 'chalk';
import { printable } from '../../src/base/index.ts';
import type { Authoring, Comparison, FieldChange, PolicyPair } from '../../src/policy/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';

/** Show are the ways to write values. */
export type Show = Pick<Authoring, 'showEntry' | 'showValue'>;

/** ChangeVerb says of a difference whether it is there, about to be, or only asked about. */
export type ChangeVerb = 'changed' | 'will change' | 'would change';

/**
 * renderComparison writes the differences for a terminal, and one line that sums them up; `verb` says whether the second side is
 * in effect.
 */
export function renderComparison(
  comparison: Comparison,
  show: Show,
  color: boolean,
  verb: ChangeVerb = 'changed',
): string {
  const paint = new Chalk({ level: color ? 1 : 0 });
  const words = {
    tighter: paint.green('tighter'),
    looser: paint.yellow('looser '),
    neither: paint.dim('neither'),
  };
  const { before, after, policies } = comparison;
  const width = policies
    .flatMap(({ changes }) => changes.map(({ path }) => whole(path).length))
    .reduce((most, length) => Math.max(most, length), 0);
  const blocks = policies.flatMap((pair) => {
    const lines = pair.changes.flatMap((change) =>
      linesOf(change, show).map((line, i) =>
        i === 0
          ? `  ${words[change.direction]}  ${whole(change.path).padEnd(width)}  ${whole(line)}`
          : `${' '.repeat(width + 13)}${whole(line)}`,
      ),
    );
    return [`${paint.bold(whole(pair.name))}${whole(headOf(pair, before, after))}`, ...lines];
  });
  return [...blocks, whole(sumUp(comparison, verb)), ''].join('\n');
}

/** A difference is shown whole, however long it is. */
function whole(text: string): string {
  return clean(text, Infinity);
}

/** headOf says what stands behind the name of a policy. */
export function headOf(
  { status, before_revision, after_revision }: PolicyPair,
  before: string,
  after: string,
): string {
  switch (status) {
    case 'added':
      return ` is only in ${printable(after)}`;
    case 'removed':
      return ` is only in ${printable(before)}`;
    case 'same':
      return before_revision === after_revision
        ? ' is the same'
        : ' means the same, in another order (its revision differs)';
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
export function sumUp({ summary, before, after }: Comparison, verb: ChangeVerb = 'changed'): string {
  const { changed, added, removed, tighter, looser, neither } = summary;
  if (changed + added + removed === 0) return `${printable(before)} and ${printable(after)} mean the same`;
  const parts = [
    ...(changed > 0
      ? [
          `${counted(changed, 'policy', 'policies')} ${verb} (${tighter} tighter, ${looser} looser, ${neither} neither)`,
        ]
      : []),
    ...(added > 0 ? [`${counted(added, 'policy', 'policies')} added`] : []),
    ...(removed > 0 ? [`${counted(removed, 'policy', 'policies')} removed`] : []),
  ];
  return parts.join(', ');
}

/** unsetAsNull, a replacer of JSON, tells a field that is not set on one side as null instead of leaving it out. */
export function unsetAsNull(_key: string, value: unknown): unknown {
  return value === undefined ? null : value;
}
