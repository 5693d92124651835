import type * as z from 'zod/mini';
import { nearest } from '../base/index.ts';
import { EXPECTATIONS, EXPECTED_FACTS, LABELS } from './expect.ts';

/** HOW is what to do when a file is not a file of test cases. */
export const HOW = 'Write a first case with `ipo policy test --record IMAGE --policy FILE`';

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string | undefined;
}

/** problemsOf says in our words all that the schema finds wrong. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], value: unknown): readonly Problem[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => problemOf({ ...issue, keys: [key] }, value))
      : [problemOf(issue, value)],
  );
}

function problemOf(issue: z.core.$ZodIssue, value: unknown): Problem {
  const fault = (path: readonly PropertyKey[], message: string, hint?: string): Problem => ({
    path,
    message,
    hint,
  });
  const shown = show(issue.path) || 'the document';
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys;
      return fault(
        [...issue.path, key],
        `unknown field "${show([...issue.path, key])}"`,
        meantBy(issue.path, key),
      );
    }
    case 'invalid_value':
      return fault(issue.path, `${shown} must be ${either(issue.values.map(String))}`);
    case 'invalid_union': {
      const found = valueAt(issue.path, value);
      if (issue.path.at(-1) !== 'expect') return fault(issue.path, `${shown} has a value that is not valid`);
      const inMapping = inExpectation(found);
      if (inMapping !== null)
        return fault([...issue.path, ...inMapping.path], inMapping.message(shown), inMapping.hint);
      return fault(
        issue.path,
        `${shown} must be one of ${EXPECTATIONS.join(', ')}, or a mapping with label and sentence, or a mapping with undecided`,
        didYouMean(found, EXPECTATIONS),
      );
    }
    case 'invalid_type':
      if (valueAt(issue.path, value) === undefined) return fault(issue.path, `${shown} is missing`, HOW);
      return fault(issue.path, `${shown} must be ${TYPES[issue.expected] ?? issue.expected}`, HOW);
    case 'too_small':
      return fault(issue.path, `${shown} must not be empty`, HOW);
    default:
      return fault(issue.path, `${shown} has a value that is not valid`);
  }
}

/** The kinds of values, as people who write YAML call them. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
};

function either(values: readonly string[]): string {
  const last = values.at(-1) ?? '';
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`;
}

function valueAt(path: readonly PropertyKey[], value: unknown): unknown {
  return path.reduce<unknown>(
    (at, step) => (at as Record<PropertyKey, unknown> | null | undefined)?.[step],
    value,
  );
}

/** What is wrong in a mapping that has a label or an unknown fact; null for any other value, which is told as a whole. */
function inExpectation(found: unknown): {
  readonly path: readonly PropertyKey[];
  readonly message: (shown: string) => string;
  readonly hint: string | undefined;
} | null {
  if (found === null || typeof found !== 'object') return null;
  const main = ['label', 'undecided'].find((name) => name in found);
  if (main === undefined) return null;
  const words = main === 'label' ? LABELS : EXPECTED_FACTS;
  const word = (found as Readonly<Record<string, unknown>>)[main];
  if (typeof word === 'string' && words.includes(word))
    return { path: ['sentence'], message: (shown) => `${shown}.sentence must be a text`, hint: undefined };
  return {
    path: [main],
    message: (shown) => `${shown}.${main} must be one of ${words.join(', ')}`,
    hint: word === 'allowed' ? 'Write "expect: allowed"' : didYouMean(word, words),
  };
}

function didYouMean(word: unknown, words: readonly string[]): string | undefined {
  const close = typeof word === 'string' ? nearest(word, words) : null;
  return close === null ? undefined : `Did you mean "${close}"?`;
}

/** What to do about an unknown field: it is misspelt, or it is one of ours in the wrong place. */
function meantBy(path: readonly PropertyKey[], key: string): string | undefined {
  const place = PLACES.find(([, fields]) => fields.includes(key))?.[0];
  if (place !== undefined) return `Write it ${place}`;
  if (path.at(-1) === 'expect') return 'Write label and sentence here, or undecided';
  return didYouMean(
    key,
    PLACES.flatMap(([, fields]) => fields),
  );
}

/** Where each field belongs. */
const PLACES: readonly (readonly [string, readonly string[]])[] = [
  ['at the top of the file', ['apiVersion', 'kind', 'metadata', 'cases']],
  ['at the top of the file, or in a case', ['policy', 'at']],
  ['in a case, below cases', ['name', 'given', 'expect']],
  [
    'below given',
    [
      ...['image', 'namespace', 'signals', 'exposedBy', 'quota', 'breakGlass', 'coldImagePolicy', 'facts'],
      ...['pod', 'manifest', 'report', 'ledger', 'kev'],
    ],
  ],
  ['below expect', ['label', 'sentence', 'undecided']],
  ['below breakGlass', ['reason', 'groups']],
];

function show(at: readonly PropertyKey[]): string {
  const text = at.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return text.startsWith('.') ? text.slice(1) : text;
}
