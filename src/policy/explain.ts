import type { core } from 'zod/mini';
import { nearest } from '../base/index.ts';
import { fieldsAt } from './fields.ts';
import { SEVERAL } from './hints.ts';
import { quote, toPath, valueAt, type Path } from './paths.ts';
import { placeOf, type Places } from './places.ts';
import type { Problem } from './problems.ts';
import type { RuleId } from './rules/catalogue.ts';

/** What is said about one issue: where, under which rule, and in which words. */
interface Said {
  readonly rule: RuleId;
  readonly path: Path;
  readonly message: string;
  readonly hint: string | null;
}

/**
 * toProblems says what is wrong with one document. A document of another kind is told to be one, without a word
 * about its fields.
 */
export function toProblems(issues: readonly core.$ZodIssue[], places: Places, value: unknown): Problem[] {
  const said = otherKind(value) ?? issues.flatMap((issue) => explain(issue, value));
  return said.map(({ path, ...rest }) => ({
    level: 'error',
    ...rest,
    path: toPath(path),
    file: places.file,
    ...placeOf(places, path),
  }));
}

function otherKind(value: unknown): Said[] | null {
  const kind = valueAt(value, ['kind']);
  if (typeof kind !== 'string' || kind === 'ImagePolicy' || nearest(kind, ['ImagePolicy']) !== null)
    return null;
  const hint = /List$/.test(kind)
    ? 'Make a document of each of its items, with a line --- between two'
    : 'Write kind: ImagePolicy, or remove the document; a policy file contains only policies';
  return [{ rule: 'kind', path: ['kind'], message: `kind is ${quote(kind)}; allowed: ImagePolicy`, hint }];
}

/** What a limit of a text or a list counts. */
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

function explain(issue: core.$ZodIssue, value: unknown): Said[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField([...path, key]));
  const { message, ...said } = explainValue(issue, valueAt(value, path));
  return [{ ...said, path, message: `${toPath(path) || 'the document'} ${message}` }];
}

/** What is said about a value that was found, in words that follow its path. */
function explainValue(
  issue: Exclude<core.$ZodIssue, core.$ZodIssueUnrecognizedKeys>,
  found: unknown,
): Omit<Said, 'path'> {
  switch (issue.code) {
    case 'invalid_value':
      return notAllowed(issue, found);
    case 'invalid_type':
      return otherType(issue, found);
    case 'too_small':
      return outOfRange(found, issue.origin, `at least ${issue.minimum}`);
    case 'too_big':
      return outOfRange(found, issue.origin, `at most ${issue.maximum}`);
    case 'custom': {
      const quoted =
        typeof found === 'string' && found.length <= 100 && !found.includes('\n') ? `${quote(found)} ` : '';
      const hint: unknown = issue.params?.hint;
      return {
        rule: 'value',
        message: quoted + issue.message,
        hint: typeof hint === 'string' ? hint : null,
      };
    }
    default:
      return { rule: 'value', message: issue.message, hint: null };
  }
}

function notAllowed({ path, values }: core.$ZodIssueInvalidValue, found: unknown): Omit<Said, 'path'> {
  const allowed = values.map((word) => (word === '' ? '""' : String(word)));
  const list = `allowed: ${allowed.join(', ')}`;
  if (found === undefined)
    return { rule: 'missing', message: `is missing; ${list}`, hint: addHint(path, allowed[0] ?? '') };
  return { rule: 'value', message: `is ${quote(found)}; ${list}`, hint: choiceHint(found, allowed) };
}

function choiceHint(found: unknown, allowed: readonly string[]): string {
  if (typeof found !== 'string') return 'Write one of them, as a text';
  if (/ /.test(found) && found.split(/ +/).every((one) => allowed.includes(one))) return SEVERAL;
  const close = nearest(found, allowed);
  return close === null ? 'Write one of them' : `Did you mean "${close}"?`;
}

function otherType({ path, expected }: core.$ZodIssueInvalidType, found: unknown): Omit<Said, 'path'> {
  const wanted = TYPE_NAMES[expected] ?? expected;
  if (found === undefined)
    return { rule: 'missing', message: `is missing; it must be ${wanted}`, hint: addHint(path, '') };
  return {
    rule: 'type',
    message: `is ${quote(found)}; it must be ${wanted}`,
    hint: typeHint(expected, found, path),
  };
}

function outOfRange(found: unknown, origin: string, limit: string): Omit<Said, 'path'> {
  if (found === '')
    return {
      rule: 'empty',
      message: 'is empty; a value is needed',
      hint: 'Give it a value, or leave it out',
    };
  const has =
    typeof found === 'string' || Array.isArray(found)
      ? `has ${found.length}${UNITS[origin] ?? ''}`
      : `is ${quote(found)}`;
  return { rule: 'range', message: `${has}; ${limit} allowed`, hint: null };
}

function unknownField(path: Path): Said {
  const name = String(path.at(-1));
  const known = fieldsAt(path.slice(0, -1));
  const close = nearest(name, known);
  const shown = toPath(path);
  const elsewhere = path.length === 1 && fieldsAt(['spec']).includes(name) ? 'Indent it below spec' : null;
  const todo =
    close !== null ? `Did you mean "${close}"?` : (ELSEWHERE.get(shown) ?? elsewhere ?? 'Take it out');
  const names =
    path[0] === 'metadata' && path.length === 2
      ? 'name, labels, annotations, and what the API server sets'
      : known.join(', ');
  const allowed = names === '' ? '' : `${todo.endsWith('?') ? '' : '.'} Allowed here: ${names}`;
  // Programs read this sentence: `unknown field "spec.runtime"`, word for word, wherever a policy is refused.
  return { rule: 'unknown-field', path, message: `unknown field "${shown}"`, hint: todo + allowed };
}

/** Fields that people look for in the wrong place, or that earlier releases had. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'metadata.namespace':
      'Take it out: a policy belongs to no namespace; spec.targetNamespaces says which it governs',
    'spec.runtime':
      'Take it out: releases from 1.3.1 on have no runtime block; a RuntimePolicy can stop a pod instead',
    'spec.namespaces': 'Did you mean "targetNamespaces"?',
    'spec.registries': 'Did you mean "allowedRegistries"?',
    'spec.severity': 'Did you mean "severityThreshold"?',
    'spec.threshold': 'Did you mean "severityThreshold"?',
    'spec.mode': 'Did you mean "enforcement"?',
  }),
);

/** The numbers of a policy are levels of provenance. */
const LEVEL = 'a whole number from 0 to 3';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping with fields',
  record: 'a mapping of names to texts',
  int: LEVEL,
  number: LEVEL,
};

function typeHint(expected: string, found: unknown, path: Path): string | null {
  switch (expected) {
    case 'array':
      return typeof found === 'object'
        ? 'Write a line "- value" for each entry'
        : `Write it as a list: [${quote(found)}]`;
    case 'boolean':
      return typeof found === 'string'
        ? 'Write true or false without quotes (yes, no, on and off are texts in YAML 1.2)'
        : 'Write true or false';
    case 'string':
      if (path[1] === 'sla' && typeof found === 'number') return `Add the unit: ${found}h`;
      return typeof found === 'object'
        ? 'Write a single value after the colon'
        : `Put it in quotes: "${quote(found)}"`;
    case 'int':
    case 'number':
      return typeof found === 'string' ? 'Write the number without quotes' : null;
    default:
      return path.length === 0
        ? 'Begin with apiVersion, kind, metadata and spec'
        : 'Write its fields on the lines below, indented';
  }
}

function addHint(path: Path, value: string): string {
  if (path.length === 1 && path[0] === 'spec')
    return 'Add "spec:", and below it what the policy asks; `spec: {}` takes every default';
  if (path.length <= 2 && path[0] === 'metadata') return 'Add "metadata:", and below it "name: my-policy"';
  return `Add "${String(path.at(-1))}: ${value === '' ? '…' : value}"`;
}
