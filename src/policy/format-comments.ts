import {
  CST,
  isCollection,
  isMap,
  isNode,
  isPair,
  isSeq,
  Lexer,
  type Document,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** SourceComment is one comment of a text: what follows the # (a space where nothing does, as the parser has it), and its place. */
export interface SourceComment {
  readonly text: string;
  readonly offset: number;
  /** From 0. */
  readonly column: number;
}

/** commentsOf gives every comment of a YAML text, in order; what reads like one inside a text value is none. */
export function commentsOf(text: string): SourceComment[] {
  const comments: SourceComment[] = [];
  let offset = 0;
  let inScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    const type: CST.TokenType | null = inScalar ? null : CST.tokenType(lexeme);
    inScalar = type === 'scalar';
    // These three are marks of the lexer itself, which stand nowhere in the text.
    if (type === 'scalar' || type === 'doc-mode' || type === 'flow-error-end') continue;
    if (type === 'comment')
      comments.push({ text: lexeme.slice(1) || ' ', offset, column: columnOf(text, offset) });
    offset += lexeme.length;
  }
  return comments;
}

/**
 * settleComments puts comments where their indentation says they belong. The parser gives a comment between two
 * fields to the end of the list above it, so that it would move with that list.
 */
export function settleComments(
  document: Document.Parsed,
  text: string,
  comments: readonly SourceComment[],
): void {
  const root: Node | null = document.contents;
  if (!isMap(root) && !isSeq(root)) return;
  const raised = lift(root, text, comments);
  if (raised.length > 0) document.comment = joined(raised.join('\n'), document.comment);
}

/** Takes the comments that stand left of the collection out of its end and gives them to the caller. */
function lift(node: YAMLMap | YAMLSeq, text: string, comments: readonly SourceComment[]): string[] {
  const pending = liftFromItems(node, text, comments);
  if (node.flow === true) return pending;
  const lines = [...pending, ...(node.comment ?? '').split('\n').slice(node.comment ? 0 : 1)];
  const column = columnOf(text, node.range?.[0] ?? 0);
  let at = firstFrom(comments, endOf(node));
  for (const [i, line] of lines.entries()) {
    if (line === '') continue;
    while (at < comments.length && comments[at]?.text !== line) at += 1;
    if ((comments[at]?.column ?? column) < column) return keep(node, lines, lines[i - 1] === '' ? i - 1 : i);
    at += 1;
  }
  return keep(node, lines, lines.length);
}

/** Gives what each item raises to the item after it; the last one's is for the collection. */
function liftFromItems(
  { items }: YAMLMap | YAMLSeq,
  text: string,
  comments: readonly SourceComment[],
): string[] {
  let pending: string[] = [];
  for (const [i, item] of items.entries()) {
    const value: unknown = isPair(item) ? item.value : item;
    if (!isMap(value) && !isSeq(value)) continue;
    const raised = lift(value, text, comments);
    const next: unknown = items[i + 1];
    const target: unknown = isPair(next) ? next.key : next;
    if (isNode(target)) prepend(target, raised);
    else pending = raised;
  }
  return pending;
}

/** The place of the first comment at an offset or after it. They are in order, and a hostile file has 80,000. */
function firstFrom(comments: readonly SourceComment[], offset: number): number {
  let [low, high] = [0, comments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((comments[middle]?.offset ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keep(node: YAMLMap | YAMLSeq, lines: readonly string[], count: number): string[] {
  node.comment = count === 0 ? null : lines.slice(0, count).join('\n');
  return lines.slice(count);
}

function prepend(node: Node, raised: readonly string[]): void {
  if (raised.length === 0) return;
  if (raised[0] === '') node.spaceBefore = true;
  node.commentBefore = joined((raised[0] === '' ? raised.slice(1) : raised).join('\n'), node.commentBefore);
}

/** joined puts two comments of the parser under each other; either may be missing. */
export function joined(first: string | null | undefined, second: string | null | undefined): string | null {
  const both = [first ?? null, second ?? null].filter((comment) => comment !== null);
  return both.length === 0 ? null : both.join('\n');
}

/** Where the last value of a collection ends, the comments after it left out. */
function endOf(node: unknown): number {
  if (isCollection(node)) {
    const last: unknown = node.items.at(-1);
    if (isPair(last)) return endOf(last.value ?? last.key);
    if (last !== undefined) return endOf(last);
  }
  return isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

/** columnOf gives the column of an offset, from 0. */
function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}
