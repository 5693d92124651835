import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  Scalar,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { fieldsAt } from './fields.ts';
import { wordsOf } from './yaml-words.ts';
import { joined, type SourceComment } from './format-comments.ts';

/** headerApart keeps a comment at the top of the file there, whichever field comes first: it is about the file. */
export function headerApart(document: Document.Parsed, root: YAMLMap): void {
  const first: Pair | undefined = root.items[0];
  if (!isScalar(first?.key) || first.key.value === fieldsAt([])[0]) return;
  const lines = first.key.commentBefore?.split('\n') ?? [];
  if (lines.length === 0) return;
  const blank = lines.lastIndexOf('');
  const header = (blank === -1 ? lines : lines.slice(0, blank)).join('\n');
  const own = blank === -1 ? [] : lines.slice(blank + 1);
  document.commentBefore = joined(document.commentBefore, document.commentBefore ? `\n${header}` : header);
  first.key.commentBefore = own.length === 0 ? null : own.join('\n');
}

/** tidy orders the fields of a node and what is below it, and gives collections and texts their canonical style. */
export function tidy(
  node: Node | null,
  path: readonly PropertyKey[],
  text: string,
  comments: readonly SourceComment[],
): void {
  if (isScalar(node)) {
    if (typeof node.value === 'string' && node.value.includes('\n') && node.type === Scalar.QUOTE_DOUBLE)
      node.type = Scalar.BLOCK_LITERAL;
    quoteWords(node);
    return;
  }
  if (!isMap(node) && !isSeq(node)) return;
  if (node.items.length > 0 && !(isSeq(node) && isShortList(node))) node.flow = false;
  if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) tidy(item as Node | null, [...path, i], text, comments);
    return;
  }
  orderFields(node, path, text, comments);
  settleFirst(node, path);
  for (const pair of node.items as Pair<Node, Node | null>[])
    tidy(pair.value, [...path, nameOf(pair)], text, comments);
}

/** Puts the fields of a map into the order of the schema; where the names are the user's, they only get quotes. */
function orderFields(
  node: YAMLMap,
  path: readonly PropertyKey[],
  text: string,
  comments: readonly SourceComment[],
): void {
  const known = fieldsAt(path);
  const items = node.items as Pair<Node, Node | null>[];
  if (known.length > 0) {
    // Above an entry of a list it is about the entry, and stays before its dash.
    if (typeof path.at(-1) !== 'number') toFirstField(node, text, comments);
    items.sort((a, b) => rank(known, nameOf(a)) - rank(known, nameOf(b)));
    for (const { key } of items) if (isScalar(key)) key.type = Scalar.PLAIN;
  } else for (const { key } of items) if (isScalar(key)) quoteWords(key);
}

/** No blank line stands above the first field; in an entry of a list its comment goes before the dash. */
function settleFirst(node: YAMLMap, path: readonly PropertyKey[]): void {
  const [first] = node.items as Pair<Node, Node | null>[];
  if (first === undefined) return;
  if (first.key.spaceBefore === true) first.key.spaceBefore = false;
  if (typeof path.at(-1) !== 'number' || !first.key.commentBefore) return;
  node.commentBefore = joined(node.commentBefore, first.key.commentBefore);
  first.key.commentBefore = null;
}

/** What YAML 1.1 would read as something else than a text gets quotes. */
function quoteWords(node: Scalar): void {
  const { value, type, source } = node;
  if (type === Scalar.PLAIN && typeof value === 'string' && wordsOf(source ?? value, value) !== null)
    node.type = Scalar.QUOTE_DOUBLE;
}

/** `[checkout, payments]` stays on its line when that is how it was written: only words, and not many. */
function isShortList(list: YAMLSeq): boolean {
  const words = list.items.map((item) =>
    isScalar(item) && !item.comment && !item.commentBefore ? String(item.value) : null,
  );
  return (
    !list.comment &&
    words.every((word) => word !== null && !word.includes('\n')) &&
    words.join(', ').length <= 76
  );
}

/** A comment on a line of its own above the first field is that field's, and moves with it. */
function toFirstField(map: YAMLMap, text: string, comments: readonly SourceComment[]): void {
  const first: unknown = map.items[0];
  if (!map.commentBefore || !isPair(first) || !isScalar(first.key)) return;
  const lines = map.commentBefore.split('\n');
  const onLine = (line: string): boolean =>
    comments.some(
      ({ text: comment, offset, column }) =>
        comment === line && text.slice(offset - column, offset).trim() === '',
    );
  const own = lines.findIndex((line) => line !== '' && onLine(line));
  if (own === -1) return;
  first.key.commentBefore = joined(lines.slice(own).join('\n'), first.key.commentBefore);
  map.commentBefore = own === 0 ? null : lines.slice(0, own).join('\n').trimEnd();
}

function nameOf({ key }: Pair<Node, Node | null>): string {
  return isScalar(key) ? String(key.value) : '';
}

/** rank gives the place of a field in the order of the schema; unknown ones come last. */
export function rank(known: readonly string[], name: string): number {
  const at = known.indexOf(name);
  return at === -1 ? known.length : at;
}
