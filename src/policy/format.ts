import { isMap } from 'yaml';
import { canonicalJson } from '../base/index.ts';
import { readDocuments } from './document.ts';
import { fieldsAt } from './fields.ts';
import { commentsOf, settleComments } from './format-comments.ts';
import { headerApart, rank, tidy } from './format-tidy.ts';
import { parsePolicies, type PolicyFile } from './parse.ts';
import type { Problem } from './problems.ts';

/** Formatted is a policy file in its canonical form, or why it has none. */
export type Formatted =
  | { readonly kind: 'formatted'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/**
 * formatPolicies writes a policy file in its canonical form: fields in the order of the schema, two spaces, one
 * entry a line, comments kept; JSON stays JSON. What it gives was read again: the same policies, the same comments.
 */
export function formatPolicies(text: string, file: string): Formatted {
  const before = parsePolicies(text, file);
  if (before.problems.length > 0) return { kind: 'invalid', problems: before.problems };
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const json = parseJson(plain);
  const out =
    json === undefined ? formatYaml(plain, file) : `${JSON.stringify(inSchemaOrder(json, []), null, 2)}\n`;
  const lost = json === undefined && !sameComments(plain, out);
  if (!lost && sameMeaning(before, parsePolicies(out, file))) return { kind: 'formatted', text: out };
  const problem: Problem = {
    level: 'error',
    rule: 'unformattable',
    path: '',
    message: `the file cannot be formatted without ${lost ? 'losing a comment' : 'changing what it says'}; it stays as it is`,
    hint: 'Simplify how it is written, and report this with the file if you can',
    file,
    line: 1,
    column: 1,
  };
  return { kind: 'invalid', problems: [problem] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // then it is YAML
  }
}

function inSchemaOrder(value: unknown, path: readonly PropertyKey[]): unknown {
  if (Array.isArray(value)) return value.map((entry, i) => inSchemaOrder(entry, [...path, i]));
  if (value === null || typeof value !== 'object') return value;
  const known = fieldsAt(path);
  if (known.length === 0) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => rank(known, a) - rank(known, b));
  return Object.fromEntries(entries.map(([key, entry]) => [key, inSchemaOrder(entry, [...path, key])]));
}

function formatYaml(text: string, file: string): string {
  const comments = commentsOf(text);
  const documents = readDocuments(text, file).parsed;
  if (documents.some(({ errors }) => errors.length > 0)) return ''; // its line ends carried meaning; the caller sees that it is lost
  const parts = documents.map((document) => {
    settleComments(document, text, comments);
    if (isMap(document.contents)) headerApart(document, document.contents);
    tidy(document.contents, [], text, comments);
    document.directives.docStart = null;
    document.directives.docEnd = false;
    document.directives.yaml.explicit = false;
    return document
      .toString({ indent: 2, indentSeq: true, lineWidth: 0, flowCollectionPadding: false })
      .trim();
  });
  return parts
    .filter((part) => part !== '' && part !== 'null')
    .map((part) => `${part}\n`)
    .join('---\n');
}

function sameComments(before: string, after: string): boolean {
  const [left, right] = [before, after].map((text) =>
    commentsOf(text)
      .map((comment) => comment.text.trim())
      .toSorted()
      .join('\n'),
  );
  return left === right;
}

function sameMeaning(before: PolicyFile, after: PolicyFile): boolean {
  const [left, right] = [before, after].map((file) =>
    canonicalJson(file.policies.map(({ policy, written }) => [policy.name, policy.revision, written])),
  );
  return left === right && after.problems.length === 0;
}
