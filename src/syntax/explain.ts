import type { YAMLError } from 'yaml';
import { printable } from '../base/index.ts';

/** explainSyntax says in our words what the YAML parser found wrong, and what to do where that is known. Without `quotes` nothing of the text is repeated. */
export function explainSyntax(error: YAMLError, quotes = true): { message: string; hint: string | null } {
  const known = SENTENCES[error.code];
  if (known !== undefined) return { message: known[0], hint: known[1] };
  const first = (error.message.split('\n')[0] ?? error.message).replace(/[.:]$/, '');
  // The parser repeats a token that it did not expect, and names of tags and directives.
  const said = quotes
    ? first
    : first.replace(/: .*$| ".*$/s, '').replaceAll(/(?<=version )\S+|[!%]\S+/g, '…');
  const message = printable(said.charAt(0).toLowerCase() + said.slice(1), 160);
  return { message: `not readable as YAML or JSON: ${message}`, hint: HINTS[error.code] ?? null };
}

const SENTENCES: Readonly<Record<string, readonly [string, string]>> = {
  DUPLICATE_KEY: ['a field is written twice', 'Keep one of the two'],
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
