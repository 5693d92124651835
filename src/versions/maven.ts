import { byCodeUnit } from '../base/index.ts';
import { compareDigits } from './digits.ts';

/** An item of a version: digits, a qualifier, or the list that a hyphen or a change between them begins. */
type Item = string | readonly Item[];

const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const ALIASES: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };
const SHORT: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };
const MAX_LENGTH = 256;

/** compareMaven orders versions as ComparableVersion of Maven does; null where one is not a version. */
export function compareMaven(a: string, b: string): number | null {
  if (!isVersion(a) || !isVersion(b)) return null;
  return compareItems(parse(a.toLowerCase()), parse(b.toLowerCase()));
}

/** Of other shapes the releases of Maven disagree among themselves. */
function isVersion(text: string): boolean {
  return text.length <= MAX_LENGTH && /^\d+(?:\.\d+)*(?:[.-][a-z]+\d*|-\d+)?$/i.test(text);
}

function parse(text: string): readonly Item[] {
  const tokens = [...text.matchAll(/(\d+|[^\d.-]+)|([.-])/g)];
  const root: Item[] = [];
  const open: Item[][] = [root];
  let list = root;
  const begin = (): void => {
    const inner: Item[] = [];
    list.push(inner);
    open.push((list = inner));
  };
  let before: 'digits' | 'text' | 'dot' | 'hyphen' = 'dot';
  for (const [i, [, word, mark]] of tokens.entries()) {
    if (word === undefined) {
      // Nothing between two marks is a zero.
      if (before === 'dot' || before === 'hyphen') list.push('0');
      if (mark === '-') begin();
      before = mark === '-' ? 'hyphen' : 'dot';
      continue;
    }
    const isNumber = /^\d/.test(word);
    // A qualifier behind a dot is as behind a hyphen, and digits that follow one belong to it.
    const begins = isNumber ? before === 'text' : before === 'digits' || before === 'dot';
    if (begins) begin();
    const isFollowedByDigit = !isNumber && /^\d/.test(tokens[i + 1]?.[1] ?? '');
    list.push(isNumber ? word.replace(/^0+(?=\d)/, '') : qualifier(word, isFollowedByDigit));
    before = isNumber ? 'digits' : 'text';
  }
  for (const one of open.toReversed()) normalise(one);
  return root;
}

function qualifier(word: string, isFollowedByDigit: boolean): string {
  const long = isFollowedByDigit ? (SHORT[word] ?? word) : word;
  return ALIASES[long] ?? long;
}

/** Takes out what says nothing at the end, and before a list. */
function normalise(list: Item[]): void {
  for (let i = list.length - 1; i >= 0; i -= 1) {
    const item = list[i] ?? '';
    if (isNull(item)) list.splice(i, 1);
    else if (typeof item === 'string') break;
  }
}

function isNull(item: Item): boolean {
  return typeof item === 'string' ? item === '' || item === '0' : item.length === 0;
}

function compareItems(a: readonly Item[], b: readonly Item[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const [left, right] = [a[i], b[i]];
    const order = left === undefined ? -compareOne(right ?? '', undefined) : compareOne(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

/** Of two kinds: a qualifier is before a list, a list before a number. */
function compareOne(a: Item, b: Item | undefined): number {
  if (b === undefined) {
    if (typeof a !== 'string') return a.length === 0 ? 0 : compareFirst(a);
    if (/^\d/.test(a)) return a === '0' ? 0 : 1;
    return rank(a) - rank('') || 0;
  }
  const [left, right] = [kindOf(a), kindOf(b)];
  if (left !== right) return left - right;
  if (typeof a !== 'string' || typeof b !== 'string')
    return compareItems(a as readonly Item[], b as readonly Item[]);
  if (left === 2) return compareDigits(a, b);
  return rank(a) - rank(b) || (rank(a) === QUALIFIERS.length ? byCodeUnit(a, b) : 0);
}

/** A list against nothing is as the first of it that says something. */
function compareFirst(list: readonly Item[]): number {
  for (const item of list) {
    const order = compareOne(item, undefined);
    if (order !== 0) return order;
  }
  return 0;
}

function kindOf(item: Item): number {
  if (typeof item !== 'string') return 1;
  return /^\d/.test(item) ? 2 : 0;
}

/** Unknown qualifiers are behind the known ones. */
function rank(text: string): number {
  const at = QUALIFIERS.indexOf(text);
  return at === -1 ? QUALIFIERS.length : at;
}
