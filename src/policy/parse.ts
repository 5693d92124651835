import type { core } from 'zod/mini';
import { nearest, printable } from '../base/index.ts';
import { placeOf, readDocuments, type Places, type SourceDocument } from './document.ts';
import { toPolicy, type Policy } from './policy.ts';
import type { Problem } from './problems.ts';
import { policyDocument, policySpec, type PolicyDocument } from './schema.ts';
import { fieldsAt } from './fields.ts';

/** ParsedPolicy is a valid policy with the places of its fields. */
export interface ParsedPolicy {
  readonly policy: Policy;
  /** With every default filled in. */
  readonly document: PolicyDocument;
  /** As written: what was left to a default is absent. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly places: Places;
}

/** PolicyFile is what a policy file holds: its valid policies, and every problem of the others. */
export interface PolicyFile {
  readonly file: string;
  readonly policies: readonly ParsedPolicy[];
  readonly problems: readonly Problem[];
}

/**
 * parsePolicies reads the policies of a YAML or JSON text, strictly. It never throws for what the text holds:
 * every fault is a problem with its place. `file` is the name to show.
 */
export function parsePolicies(text: string, file: string): PolicyFile {
  const { documents, problems } = readDocuments(text, file);
  const policies: ParsedPolicy[] = [];
  for (const source of documents) {
    const value = withoutNulls(source.value);
    const result = policyDocument.safeParse(value);
    if (result.success) {
      const document = result.data;
      const written = value as Readonly<Record<string, unknown>>;
      policies.push({ policy: toPolicy(document), document, written, places: source.places });
    } else {
      for (const issue of result.error.issues) problems.push(...toProblems(issue, source, value));
    }
  }
  if (documents.length === 0 && problems.length === 0) {
    problems.push({
      level: 'error',
      rule: 'empty',
      path: '',
      message: 'the file holds no policy',
      hint: 'Start from one that `ipo policy init` writes',
      file,
      line: 1,
      column: 1,
    });
  }
  return { file, policies, problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

/**
 * parseRecordedPolicy reads a policy document out of a ledger, where `name` and `revision` are taken as given. It
 * may come from an earlier release, so fields that are no longer known are left out instead of refused. Null when
 * what remains is no policy.
 */
export function parseRecordedPolicy(document: unknown, name: string, revision: string): Policy | null {
  const spec = (withoutNulls(document) as { spec?: unknown } | null | undefined)?.spec;
  let candidate: unknown = structuredClone(spec);
  for (let round = 0; round < 8; round += 1) {
    const result = policySpec.safeParse(candidate);
    if (result.success) return { name, revision, spec: result.data };
    const unknown = result.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
    if (unknown.length !== result.error.issues.length) return null;
    for (const issue of unknown) for (const key of issue.keys) candidate = without(candidate, [...issue.path, key]);
  }
  return null;
}

function without(value: unknown, path: readonly PropertyKey[]): unknown {
  const [step, ...rest] = path;
  if (value === null || typeof value !== 'object' || step === undefined) return value;
  if (rest.length === 0) Reflect.deleteProperty(value, step);
  else without((value as Record<PropertyKey, unknown>)[step], rest);
  return value;
}

/** A field that is written without a value counts as not written, as it does for the API server. */
function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const entries = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutNulls(entry)]));
}

function toProblems(issue: core.$ZodIssue, source: SourceDocument, value: unknown): Problem[] {
  const problem = (rule: string, path: readonly PropertyKey[], message: string, hint: string | null): Problem => ({
    level: 'error',
    rule,
    path: toPath(path),
    message,
    hint,
    file: source.places.file,
    ...placeOf(source.places, path),
  });
  const shown = toPath(issue.path) || 'the document';
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = fieldsAt(issue.path);
      return issue.keys.map((key) => {
        const path = [...issue.path, key];
        const close = nearest(key, known);
        const allowed = known.length > 0 ? `Allowed here: ${known.join(', ')}` : null;
        return problem('unknown-field', path, `unknown field "${toPath(path)}"`, close === null ? allowed : `Did you mean "${close}"?`);
      });
    }
    case 'invalid_value': {
      const found = valueAt(value, issue.path);
      const values = issue.values.map((allowed) => (allowed === '' ? '""' : String(allowed)));
      const close = typeof found === 'string' ? nearest(found, values) : null;
      const say = found === undefined ? `${shown} is missing` : `${shown} is ${quote(found)}`;
      const hint = found === undefined ? `Add ${shown}: ${values.join(' or ')}` : close === null ? null : `Did you mean "${close}"?`;
      return [problem('value', issue.path, `${say}; allowed: ${values.join(', ')}`, hint)];
    }
    case 'invalid_type': {
      const found = valueAt(value, issue.path);
      const wanted = TYPE_NAMES[issue.expected] ?? issue.expected;
      if (found === undefined) return [problem('missing', issue.path, `${shown} is missing; it is ${wanted}`, `Add ${shown}`)];
      return [problem('type', issue.path, `${shown} is ${quote(found)}; it must be ${wanted}`, typeHint(issue.expected, found))];
    }
    case 'too_small':
    case 'too_big': {
      const found = valueAt(value, issue.path);
      const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
      const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' entries' : '';
      if (found === '') return [problem('empty', issue.path, `${shown} is empty`, 'Give it a value, or leave it out')];
      const say = unit === '' ? `${shown} is ${quote(found)}` : `${shown} has ${lengthOf(found)}${unit}`;
      return [problem('range', issue.path, `${say}; ${issue.code === 'too_small' ? 'at least' : 'at most'} ${limit} allowed`, null)];
    }
    default: {
      const found = valueAt(value, issue.path);
      const quoted = typeof found === 'string' && found.length <= 100 && !found.includes('\n') ? ` ${quote(found)}` : '';
      return [problem('value', issue.path, `${shown}${quoted} ${issue.message}`, null)];
    }
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping with fields',
  record: 'a mapping of texts',
  int: 'a whole number',
  number: 'a number',
};

function typeHint(expected: string, found: unknown): string | null {
  if (expected === 'array') return typeof found === 'string' ? 'Write it as a list: a line "- value" for each entry' : null;
  if (expected === 'boolean' && typeof found === 'string') return 'Write true or false without quotes (yes and no are texts in YAML 1.2)';
  if (expected === 'string' && typeof found !== 'object') return 'Put it in quotes';
  return null;
}

/** toPath writes a path as people read it: `spec.signature.keys[0]`. */
function toPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`),
    '',
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (at !== null && typeof at === 'object' ? (at as Record<PropertyKey, unknown>)[step] : undefined),
    value,
  );
}

function quote(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'nothing', 60);
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}
