import type { z } from 'zod';
import { nearest } from '../base/index.ts';
import { placeOf, readDocuments, withoutNulls, withoutServerFields, type Places } from '../policy/index.ts';
import {
  runtimePolicyDocument,
  runtimePolicySpec,
  runtimeRule,
  runtimeRulesDocument,
  runtimeMatch,
  type RuntimePolicy,
  type RuntimeRule,
} from './schema.ts';

/** RuntimeProblem is one thing wrong with a document, and where; lines and columns from 1. */
export interface RuntimeProblem {
  readonly path: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** WrittenRuntimePolicy is a runtime policy with its document as it was written. */
export interface WrittenRuntimePolicy extends RuntimePolicy {
  readonly document: Readonly<Record<string, unknown>>;
}

/** RuntimeFile is what a file holds: rules in their order, runtime policies, and what is wrong with the rest. */
export interface RuntimeFile {
  /** Null where the file holds no RuntimeRules. */
  readonly rules: readonly RuntimeRule[] | null;
  readonly policies: readonly WrittenRuntimePolicy[];
  readonly problems: readonly RuntimeProblem[];
}

const MAX_PROBLEMS = 100;

/** parseRuntimeFile reads RuntimeRules and RuntimePolicy documents of a YAML or JSON text, strictly; it never throws for what the text holds. */
export function parseRuntimeFile(text: string, file: string): RuntimeFile {
  const source = readDocuments(text, file);
  const problems: RuntimeProblem[] = source.problems.map(({ path, message, line, column }) => ({
    path,
    message,
    file,
    line,
    column,
  }));
  let rules: RuntimeRule[] | null = null;
  const policies: WrittenRuntimePolicy[] = [];
  for (const { value, places } of source.documents) {
    const written = withoutNulls(value);
    const kind = kindOf(written);
    if (kind === 'RuntimeRules') {
      const read = runtimeRulesDocument.safeParse(written);
      if (read.success) {
        const twice = repeated([...(rules ?? []), ...read.data.rules]);
        if (twice === null) rules = [...(rules ?? []), ...read.data.rules];
        else problems.push(problemAt(places, ['rules'], `the rule "${twice}" is there twice`));
      } else problems.push(...toRuntimeProblems(read.error, places, written));
    } else if (kind === 'RuntimePolicy') {
      const read = runtimePolicyDocument.safeParse(written);
      if (read.success)
        policies.push({
          name: read.data.metadata.name,
          spec: read.data.spec,
          document: withoutServerFields(written as Readonly<Record<string, unknown>>),
        });
      else problems.push(...toRuntimeProblems(read.error, places, written));
    } else problems.push(problemAt(places, ['kind'], kindFault(kind)));
  }
  if (source.documents.length === 0 && problems.length === 0)
    problems.push({ path: '', message: 'the file holds no document', file, line: 1, column: 1 });
  return { rules, policies, problems: problems.slice(0, MAX_PROBLEMS) };
}

function kindFault(kind: unknown): string {
  return kind === 'RuntimeRule'
    ? 'kind RuntimeRule is that of a configuration export: import it with `ipo config import`, or write rules with `ipo runtime rule export`'
    : 'kind must be RuntimeRules or RuntimePolicy';
}

function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
}

function repeated(rules: readonly RuntimeRule[]): string | null {
  const seen = new Set<string>();
  for (const { name } of rules) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

type Path = readonly (string | number)[];

function problemAt(places: Places, path: Path, message: string): RuntimeProblem {
  return { path: pathText(path), message, file: places.file, ...placeOf(places, path) };
}

function toRuntimeProblems(error: z.ZodError, places: Places, value: unknown): RuntimeProblem[] {
  return sentences(error, value)
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => problemAt(places, path, message));
}

/** RuntimeFault is one fault of a value: its path and a sentence. */
export interface RuntimeFault {
  readonly path: Path;
  readonly message: string;
}

/** sentences says what is wrong with a value, each with its path. */
export function sentences(error: z.ZodError, value: unknown): RuntimeFault[] {
  return error.issues.flatMap((issue): RuntimeFault[] => {
    const path = issue.path.filter((step) => typeof step !== 'symbol');
    const shown = pathText(path) || 'the document';
    if (issue.code === 'unrecognized_keys')
      return issue.keys.slice(0, MAX_PROBLEMS).map((key) => {
        const close = nearest(key, fieldsAt(path));
        const meant = close === null ? '' : ` (did you mean ${close}?)`;
        return { path: [...path, key], message: `unknown field "${pathText([...path, key])}"${meant}` };
      });
    if (issue.code === 'custom')
      return [
        { path, message: issue.message.startsWith('action "') ? issue.message : `${shown} ${issue.message}` },
      ];
    if (valueAt(value, path) === undefined) return [{ path, message: `${shown} is missing` }];
    if (issue.code === 'invalid_format' && 'pattern' in issue)
      return [{ path, message: `${shown} ${issue.message}` }];
    const message = issue.message.replace(/^Invalid (?:input|option): /, '');
    return [{ path, message: `${shown}: ${message.slice(0, 1).toLowerCase()}${message.slice(1)}` }];
  });
}

/** pathText writes a path: `match.fields[0].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

/** The fields that an object at a path may have, for a nearest name. */
function fieldsAt(path: Path): readonly string[] {
  const last = path.findLast((step) => typeof step === 'string');
  if (last === 'match') return Object.keys(runtimeMatch.shape);
  if (last === 'spec') return Object.keys(runtimePolicySpec.shape);
  if (last === 'rules' || last === undefined) return Object.keys(runtimeRule.shape);
  return ['name', 'equals', 'in', 'matches', 'count', 'duration'];
}
