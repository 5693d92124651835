import { readCommonForm } from './common-form.ts';
import { readDocuments, type SourceFile } from './document.ts';
import { toProblems } from './explain.ts';
import { parseField } from './field.ts';
import { toPath } from './paths.ts';
import { placesBelow, type Places } from './places.ts';
import { toPolicy, type Policy } from './policy.ts';
import { inOrder, type Problem } from './problems.ts';
import { policyDocument, type PolicyDocument } from './schema.ts';

/** How many problems of one file are listed; a text that is not a policy at all can have tens of thousands. */
const MAX_PROBLEMS = 200;

/** A document with more fields that are written twice is not looked at further: each is compared with each problem. */
const MAX_TWICE = 20;

/** ParsedPolicy is a valid policy with the places of its fields. */
export interface ParsedPolicy {
  readonly policy: Policy;
  /** With every default filled in. */
  readonly document: PolicyDocument;
  /** As written: what was left to a default is absent. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly places: Places;
}

/** PolicyFile is what a policy file holds: its valid policies, how many others, and every problem of these. */
export interface PolicyFile {
  readonly file: string;
  readonly policies: readonly ParsedPolicy[];
  readonly problems: readonly Problem[];
  readonly invalid: number;
}

/**
 * parsePolicies reads the policies of a YAML or JSON text, strictly. It never throws for what the text holds:
 * every fault is a problem with its place. `file` is the name to show.
 */
export function parsePolicies(text: string, file: string): PolicyFile {
  const source = readSource(text, file);
  const problems = [...source.problems];
  const policies: ParsedPolicy[] = [];
  for (const { value, places } of source.documents) {
    const written = withoutNulls(value);
    const result = parseField(policyDocument, written);
    if (result.success) {
      const document = result.data;
      policies.push({
        policy: toPolicy(document),
        document,
        written: written as Readonly<Record<string, unknown>>,
        places,
      });
    } else problems.push(...toProblems(result.error.issues, places, written));
  }
  for (const { value, places, twice } of source.doubtful) {
    if (twice.length > MAX_TWICE) continue;
    const fields = twice.map(toPath);
    const written = withoutNulls(value);
    const result = parseField(policyDocument, written);
    const found = result.success ? [] : toProblems(result.error.issues, places, written);
    problems.push(...found.filter(({ path }) => !fields.some((field) => touches(path, field))));
  }
  if (source.documents.length === 0 && problems.length === 0) problems.push(noPolicy(file));
  const invalid = source.documents.length - policies.length + source.unread;
  return { file, policies, problems: atMost(inOrder(problems)), invalid };
}

/** Whether what is said of a path may hang on the value of a field: it is the field, below it or above it. */
function touches(path: string, field: string): boolean {
  const isWithin = (inner: string, outer: string): boolean =>
    outer === '' || inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
  return isWithin(path, field) || isWithin(field, path);
}

/** The documents of a text: without the YAML parser, where it is in the common form. */
function readSource(text: string, file: string): Omit<SourceFile, 'parsed'> {
  const common = readCommonForm(text);
  if (common === null) return readDocuments(text, file);
  const documents = common.map(({ value, root }) => ({ value, places: placesBelow(file, root) }));
  return { documents, problems: [], doubtful: [], unread: 0 };
}

function noPolicy(file: string): Problem {
  return {
    level: 'error',
    rule: 'empty',
    path: '',
    message: 'the file holds no policy; at least one is needed',
    hint: 'Start from a policy that `ipo policy init` writes',
    file,
    line: 1,
    column: 1,
  };
}

function atMost(problems: readonly Problem[]): readonly Problem[] {
  const last = problems[MAX_PROBLEMS - 1];
  if (last === undefined || problems.length === MAX_PROBLEMS) return problems;
  const more = problems.length - MAX_PROBLEMS;
  const rest: Problem = {
    ...last,
    level: 'error',
    rule: 'more',
    path: '',
    message: `${more} more problems below are not listed`,
    hint: 'Fix the errors above first',
  };
  return [...problems.slice(0, MAX_PROBLEMS), rest];
}

/**
 * withoutNulls leaves out fields that are written without a value: they count as not written, as they do for the
 * API server. An empty entry of a list stays, to be refused.
 */
export function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const entries = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutNulls(entry)]));
}
