import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type LineCounter,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { printable } from '../base/index.ts';
import type { Path } from './paths.ts';
import { toPlace } from './places.ts';

/** Forbidden is something that YAML allows and a policy does not, with the offset at which it stands. */
export interface Forbidden {
  readonly rule: 'alias' | 'duplicate-field' | 'merge-key';
  readonly offset: number;
  /** Of the field that is written twice; of the other two, where they stand does not matter. */
  readonly path: Path;
  readonly message: string;
  readonly hint: string;
}

/** explainSyntax says in our words what the YAML parser found wrong, and what to do where that is known. */
export function explainSyntax(error: YAMLError): { message: string; hint: string | null } {
  const known = SENTENCES[error.code];
  if (known !== undefined) return { message: known[0], hint: known[1] };
  const first = (error.message.split('\n')[0] ?? error.message).replace(/[.:]$/, '');
  const message = printable(first.charAt(0).toLowerCase() + first.slice(1), 160);
  return { message: `not readable as YAML or JSON: ${message}`, hint: HINTS[error.code] ?? null };
}

const SENTENCES: Readonly<Record<string, readonly [string, string]>> = {
  TAB_AS_INDENT: ['a tab stands in the indentation; YAML allows spaces only', 'Indent with two spaces'],
  BAD_INDENT: [
    'the indentation fits no level above; fields of one level begin in one column',
    'Line them up under each other',
  ],
  NON_STRING_KEY: [
    'the name of a field is not a text; only texts are allowed',
    'Write the name of the field before the colon',
  ],
  TAG_RESOLVE_FAILED: [
    'a tag (!name) stands here; a policy has only texts, numbers, true, false, lists and mappings',
    'Take the tag out',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'the name of a field goes over several lines; it must stand on one',
    'Is a colon or a quote missing in the line above?',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'two fields stand on one line; one is allowed',
    'Write each on a line of its own, or quote a text that holds ": "',
  ],
};

const HINTS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'Use single quotes for a text with backslashes',
  BAD_SCALAR_START: 'Put the text in quotes',
  UNEXPECTED_TOKEN: 'Look for a missing quote, bracket, comma or colon before this place',
  MISSING_CHAR: 'Look for a missing quote, bracket, comma or colon before this place',
  MULTIPLE_DOCS: 'Put a line --- between two documents',
  BAD_DIRECTIVE: 'Take the line that begins with % out',
};

/** A line that begins a field, an item of a list, or JSON. Fields begin in small letters, unlike most sentences of prose. */
const ANY_FORM = /^\s*(?:- |[{[]|["']?[a-z_][\w./-]*["']?[ \t]*:(?:\s|$))/m;

/**
 * explainForeign says what a text is that no parser could read since it is something else; null where it may be meant as a document. Ask
 * it only of a text with faults: what the parser says of Markdown is about its words.
 */
export function explainForeign(text: string): { offset: number; message: string; hint: string } | null {
  const fence = /^`{3}/m.exec(text);
  if (fence !== null)
    return {
      offset: fence.index,
      message: 'this is Markdown, not YAML or JSON',
      hint: 'Copy what stands between two lines of ``` into a file of its own',
    };
  if (ANY_FORM.test(text)) return null;
  return {
    offset: 0,
    message: 'this is not YAML or JSON: no line of it begins with the name of a field',
    hint: 'Check that it is the right file',
  };
}

/** findForbidden walks a document, without recursion, and gives every alias, repeated field and merge key of it. */
export function findForbidden(root: unknown, lines: LineCounter): Forbidden[] {
  const found: Forbidden[] = [];
  const open: Open[] = [{ node: root, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    if (isAlias(node)) {
      found.push({
        path,
        rule: 'alias',
        offset: node.range?.[0] ?? 0,
        message: `an alias (*${printable(node.source, 40)}) stands here; aliases are not allowed`,
        hint: 'Write the value out',
      });
    } else if (isPair(node)) {
      const name = isScalar(node.key) ? String(node.key.value) : '';
      open.push({ node: node.value, path: [...path, name] }, { node: node.key, path });
    } else if (isMap(node)) {
      checkKeys(node, path, lines, found);
      for (const pair of node.items) open.push({ node: pair, path });
    } else if (isCollection(node))
      for (const [i, item] of node.items.entries()) open.push({ node: item, path: [...path, i] });
  }
  return found.toSorted((a, b) => a.offset - b.offset);
}

/** A part of a document that is still to be looked at. */
interface Open {
  readonly node: unknown;
  readonly path: Path;
}

function checkKeys(map: YAMLMap, path: Path, lines: LineCounter, found: Forbidden[]): void {
  const seen = new Map<string, number>();
  for (const { key } of map.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
    const first = seen.get(name);
    if (first !== undefined) {
      found.push({
        path: [...path, name],
        rule: 'duplicate-field',
        offset,
        message: `the field "${printable(name, 60)}" is written twice; the first stands on line ${toPlace(lines, first).line}`,
        hint: 'Keep one of the two',
      });
    } else seen.set(name, offset);
    // Quoted, it is a name like any other.
    if (name === '<<' && key.type === 'PLAIN') {
      found.push({
        path,
        rule: 'merge-key',
        offset,
        message: 'a merge key (<<) stands here; merge keys are not allowed',
        hint: 'Write the fields out',
      });
    }
  }
}
