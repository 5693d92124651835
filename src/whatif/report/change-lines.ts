import { canonicalJson, printable } from '../../base/index.ts';
import { entriesOf, showEntry, showValue } from '../../policy/index.ts';
import type { PolicyChangeDocument } from '../result.ts';

/** ChangeLine is one line of a difference: what goes, what comes, or how much is not shown. Printable. */
export interface ChangeLine {
  readonly sign: '-' | '+' | '…';
  readonly text: string;
}

const LONGEST = 240;

/** changeLines writes a changed field: its values, or of a list the entries that go and come, at most `most` each. */
export function changeLines({ path, before, after }: PolicyChangeDocument, most = 6): readonly ChangeLine[] {
  if (!Array.isArray(before) || !Array.isArray(after))
    return [whole('-', path, before), whole('+', path, after)];
  const [left, right] = [entriesOf(path, before), entriesOf(path, after)];
  const gone = [...left].flatMap(([key, entry]) => (right.has(key) ? [] : [entry]));
  const come = [...right].flatMap(([key, entry]) => (left.has(key) ? [] : [entry]));
  // What an empty list stands for is said in words: "any", "the whole cluster".
  return [
    ...(before.length === 0
      ? [whole('-', path, before)]
      : few('-', after.length === 0 ? before : gone, most)),
    ...(after.length === 0 ? [whole('+', path, after)] : few('+', before.length === 0 ? after : come, most)),
  ];
}

/** fieldText is the path of a change, printable. */
export function fieldText({ path }: Pick<PolicyChangeDocument, 'path'>): string {
  return printable(path, 120);
}

function few(sign: '-' | '+', entries: readonly unknown[], most: number): ChangeLine[] {
  const shown = entries.slice(0, entries.length > most ? most - 1 : most);
  const rest = entries.length - shown.length;
  return [
    ...shown.map((entry): ChangeLine => ({ sign, text: asText(entry) })),
    ...(rest > 0 ? [{ sign: '…', text: `${sign} ${rest} more` } as const] : []),
  ];
}

function whole(sign: '-' | '+', path: string, value: unknown): ChangeLine {
  const isEntry = value !== null && typeof value === 'object' && !Array.isArray(value);
  return {
    sign,
    text: isEntry ? asText(value) : printable(showValue(path, value ?? undefined, LONGEST), LONGEST),
  };
}

/** An entry of a shape that the policy does not know is written as JSON. */
function asText(entry: unknown): string {
  return printable(showEntry(entry).trim() || canonicalJson(entry), LONGEST);
}
