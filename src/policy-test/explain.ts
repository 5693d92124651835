import type * as z from 'zod/mini';
import { nearest } from '../base/index.ts';
import { EXPECTATIONS } from './expect.ts';

/** HOW is what to do when a file is not a file of test cases. */
export const HOW = 'Write a first case with `ipo policy test --record IMAGE --policy FILE`';

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string | undefined;
}

/** problemOf says in our words what the schema finds wrong. */
export function problemOf(issue: z.core.$ZodIssue | undefined, value: unknown): Problem {
  const fault = (path: readonly PropertyKey[], message: string, hint?: string): Problem => ({
    path,
    message,
    hint,
  });
  if (issue === undefined) return fault([], 'the file cannot be read as test cases');
  const shown = show(issue.path) || 'the document';
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys;
      const close = nearest(key, FIELDS);
      return fault(
        [...issue.path, key],
        `unknown field "${show([...issue.path, key])}"`,
        close === null ? undefined : `Did you mean "${close}"?`,
      );
    }
    case 'invalid_value':
      return fault(issue.path, `${shown} must be ${either(issue.values.map(String))}`);
    case 'invalid_union': {
      const found = issue.path.reduce<unknown>(
        (at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step],
        value,
      );
      if (issue.path.at(-1) !== 'expect') return fault(issue.path, `${shown} is not as it must be`);
      const close = typeof found === 'string' ? nearest(found, EXPECTATIONS) : null;
      return fault(
        issue.path,
        `${shown} is neither a known word nor {label, sentence} nor {undecided}`,
        close === null ? `Words: ${EXPECTATIONS.join(', ')}` : `Did you mean "${close}"?`,
      );
    }
    case 'invalid_type':
      return fault(issue.path, `${shown} must be ${TYPES[issue.expected] ?? issue.expected}`, HOW);
    case 'too_small':
      return fault(issue.path, `${shown} must not be empty`, HOW);
    default:
      return fault(issue.path, `${shown} is not as it must be`);
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

const FIELDS: readonly string[] = [
  ...[
    'apiVersion',
    'kind',
    'metadata',
    'policy',
    'at',
    'cases',
    'name',
    'given',
    'expect',
    'label',
    'sentence',
  ],
  ...['image', 'namespace', 'signals', 'exposedBy', 'quota', 'breakGlass', 'coldImagePolicy', 'facts', 'pod'],
  ...['manifest', 'report', 'ledger', 'kev', 'undecided', 'reason', 'groups'],
];

function show(at: readonly PropertyKey[]): string {
  const text = at.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return text.startsWith('.') ? text.slice(1) : text;
}
