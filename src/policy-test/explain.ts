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
      const found = valueAt(issue.path, value);
      if (issue.path.at(-1) !== 'expect') return fault(issue.path, `${shown} is not as it must be`);
      const close = typeof found === 'string' ? nearest(found, EXPECTATIONS) : null;
      return fault(
        issue.path,
        `${shown} must be one of ${EXPECTATIONS.join(', ')}, or a mapping with label and sentence, or a mapping with undecided`,
        close === null ? undefined : `Did you mean "${close}"?`,
      );
    }
    case 'invalid_type':
      if (valueAt(issue.path, value) === undefined) return fault(issue.path, `${shown} is missing`, HOW);
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

function valueAt(path: readonly PropertyKey[], value: unknown): unknown {
  return path.reduce<unknown>(
    (at, step) => (at as Record<PropertyKey, unknown> | null | undefined)?.[step],
    value,
  );
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
