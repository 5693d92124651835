import type { core } from 'zod/mini';
import { MAX_DEPTH, MAX_POLICY_BYTES } from './document.ts';
import { toProblems } from './explain.ts';
import { parseField } from './field.ts';
import { withoutNulls } from './parse.ts';
import { NOWHERE } from './places.ts';
import { toPolicy, type Policy } from './policy.ts';
import { PolicyError, type Problem } from './problems.ts';
import { isDeeperThan } from './recorded.ts';
import { policyDocument } from './schema.ts';

/** Problems of one document that are told; a hostile one can have tens of thousands. */
const MAX_PROBLEMS = 100;

/** PolicyValue is a valid policy that came as a JSON value. */
export interface PolicyValue {
  readonly policy: Policy;
  /** As it was sent, without what the API server writes into an object (`status`, `uid`, `managedFields` …). */
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * parsePolicyValue reads a policy that came as a JSON value, by the rules and with the sentences of `parsePolicies`, but
 * without taking a text apart, so that a hostile body costs its reader little. `at` is the path of the value inside a
 * request (`policy`), or empty. Throws PolicyError with every problem; there are no lines, so each stands at 1:1.
 */
export function parsePolicyValue(value: unknown, at = ''): PolicyValue {
  checkBounds(value, at);
  const written = withoutNulls(value);
  const parsed = parseField(policyDocument, written);
  if (parsed.success) {
    return { policy: toPolicy(parsed.data), document: withoutServerFields(written as Json) };
  }
  const problems = toProblems(fewest(parsed.error.issues), nowhere(), written);
  const [first = problem('value', at, 'the document is not a policy'), ...more] = problems.slice(
    0,
    MAX_PROBLEMS,
  );
  const inside = (one: Problem): Problem => ({
    ...one,
    path: [at, one.path].filter((part) => part !== '').join('.'),
  });
  throw new PolicyError([inside(first), ...more.map(inside)]);
}

/** checkBounds throws PolicyError for a value that is deeper or larger than any policy. */
export function checkBounds(value: unknown, at = ''): void {
  const whole = (rule: 'depth' | 'size', message: string): PolicyError =>
    new PolicyError([problem(rule, at, message)]);
  if (isDeeperThan(MAX_DEPTH, value))
    throw whole('depth', `the document is nested deeper than ${MAX_DEPTH} levels; a policy needs six`);
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > MAX_POLICY_BYTES)
    throw whole(
      'size',
      `the document is larger than ${MAX_POLICY_BYTES / 1024} KiB; a policy has at most that`,
    );
}

type Json = Readonly<Record<string, unknown>>;

function problem(rule: 'depth' | 'size' | 'value', path: string, message: string): Problem {
  return { level: 'error', rule, path, message, hint: null, file: 'body', line: 1, column: 1 };
}

/** A value has no places; the paths of its problems say where. */
function nowhere(): Parameters<typeof toProblems>[1] {
  return { file: 'body', document: null, of: () => NOWHERE };
}

/** Cut before they are put into words: finding what each of 20,000 unknown fields may have meant takes a second. */
function fewest(issues: readonly core.$ZodIssue[]): core.$ZodIssue[] {
  return issues
    .slice(0, MAX_PROBLEMS)
    .map((issue) =>
      issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, MAX_PROBLEMS) } : issue,
    );
}

/** withoutServerFields gives a document without what the API server writes into an object. */
export function withoutServerFields({ apiVersion, kind, metadata, spec }: Json): Json {
  const { name, labels, annotations } = metadata as Json;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
    spec,
  };
}
