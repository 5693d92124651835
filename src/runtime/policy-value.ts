import { canonicalJson, sha256Hex } from '../base/index.ts';
import {
  checkBounds,
  PolicyError,
  withoutNulls,
  withoutServerFields,
  type PolicyKind,
  type Problem,
} from '../policy/index.ts';
import { pathText, sentences } from './document.ts';
import { runtimePolicyDocument, type RuntimePolicy } from './schema.ts';

/** RevisedRuntimePolicy is a runtime policy with what its spec means, in one hash. */
export interface RevisedRuntimePolicy extends RuntimePolicy {
  /** Hex SHA-256 of the canonical spec with its defaults. */
  readonly revision: string;
}

/** RuntimePolicyValue is a valid runtime policy that came as a JSON value. */
export interface RuntimePolicyValue {
  readonly policy: RevisedRuntimePolicy;
  /** As it was sent, without what the API server writes into an object. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Problems of one document that are told. */
const MAX_PROBLEMS = 100;

/** parseRuntimePolicyValue reads a runtime policy that came as a JSON value, strictly. Throws PolicyError with every problem. */
export function parseRuntimePolicyValue(value: unknown): RuntimePolicyValue {
  checkBounds(value);
  const written = withoutNulls(value);
  const read = runtimePolicyDocument.safeParse(written);
  if (read.success)
    return {
      policy: toRuntimePolicy(read.data.metadata.name, read.data.spec),
      document: withoutServerFields(written as Readonly<Record<string, unknown>>),
    };
  const [first = problem('', 'the document is not a RuntimePolicy'), ...more] = sentences(read.error, written)
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => problem(pathText(path), message));
  throw new PolicyError([first, ...more]);
}

/** toRuntimePolicy gives a read spec its revision. */
function toRuntimePolicy(name: string, spec: RuntimePolicy['spec']): RevisedRuntimePolicy {
  return { name, revision: sha256Hex(canonicalJson(spec)), spec };
}

/** RUNTIME_POLICIES is how runtime policies are read where policies are kept. */
export const RUNTIME_POLICIES: PolicyKind = {
  noun: 'runtime policy',
  path: '/api/v1/runtime/policies',
  read: (value) => {
    const { policy, document } = parseRuntimePolicyValue(value);
    return { name: policy.name, document, revision: policy.revision };
  },
};

/** A value has no places; the path says where. */
function problem(path: string, message: string): Problem {
  return {
    level: 'error',
    rule: 'value',
    path,
    message,
    hint: null,
    file: 'body',
    line: 1,
    column: 1,
  } as const;
}
