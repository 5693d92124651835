import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { fieldSentence, formatTime } from '../base/index.ts';
import { parsePolicyValue, PolicyError, type Policy } from '../policy/index.ts';
import { parseRuntimePolicyValue, type RevisedRuntimePolicy } from '../runtime/index.ts';
import { conditionSchema, withCondition, type Condition } from './conditions.ts';

const about = (description: string) => z.meta({ description });

/** policyStatus is the status of an ImagePolicy and of a RuntimePolicy. */
export const policyStatus = z
  .object({
    observedGeneration: z.optional(
      z.int().check(z.minimum(0), about('Generation of the policy that the status describes.')),
    ),
    revision: z.optional(z.string().check(about('Revision in effect: SHA-256 of the canonical spec.'))),
    enforcement: z.optional(z.string().check(about('`Audit` or `Enforce`, as it is in effect.'))),
    conditions: z.optional(
      z.array(conditionSchema).check(z.maxLength(16), about('`Ready`: the policy is in effect.')),
    ),
  })
  .check(about('Written by the operator.'));

/** PolicyStatus is one. */
export type PolicyStatus = z.infer<typeof policyStatus>;

/** Decides is a policy of any kind, as far as its object and its status show it. */
export interface Decides {
  readonly name: string;
  readonly revision: string;
  readonly spec: { readonly enforcement: 'Audit' | 'Enforce' };
}

/** PolicyObjectKind is a kind of objects that are policies, and how one is read. */
export interface PolicyObjectKind<P extends Decides> {
  readonly kind: string;
  /** The document is as it was written, without what the API server adds. Throws PolicyError. */
  read(value: unknown): { readonly policy: P; readonly document: Readonly<Record<string, unknown>> };
}

/** IMAGE_POLICY and RUNTIME_POLICY are the two kinds. */
export const IMAGE_POLICY: PolicyObjectKind<Policy> = { kind: 'ImagePolicy', read: parsePolicyValue };
export const RUNTIME_POLICY: PolicyObjectKind<RevisedRuntimePolicy> = {
  kind: 'RuntimePolicy',
  read: parseRuntimePolicyValue,
};

/** PolicyObject is an object of such a kind as the API server gave it. */
export interface PolicyObject {
  readonly name: string;
  readonly uid: string;
  /** Its `resourceVersion`. */
  readonly version: string;
  readonly generation: number;
  readonly status: PolicyStatus;
  /** The whole object, unchecked. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** ReadPolicy is what an object came to: a policy, or what is wrong with it. */
export type ReadPolicy<P extends Decides = Policy> =
  | {
      readonly object: PolicyObject;
      readonly policy: P;
      readonly document: Readonly<Record<string, unknown>>;
      readonly fault: null;
    }
  | { readonly object: PolicyObject; readonly policy: null; readonly fault: string };

/** readPolicyObject reads an object by the strict rules that every door reads policies by. */
export function readPolicyObject<P extends Decides>(
  { read }: PolicyObjectKind<P>,
  object: PolicyObject,
): ReadPolicy<P> {
  try {
    const { policy, document } = read(object.value);
    return { object, policy, document: withoutOwnMarks(document), fault: null };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const told = error.problems.slice(0, 5).map((problem) => fieldSentence(problem));
    const more = error.problems.length - told.length;
    return { object, policy: null, fault: told.join('; ') + (more > 0 ? `; and ${more} more` : '') };
  }
}

/**
 * toPolicyStatus gives the status that an object ought to have, or null where it has it. `inForce` is what decisions use under that
 * name: of an object that cannot be read the last one that could, or null.
 */
export function toPolicyStatus<P extends Decides>(
  read: ReadPolicy<P>,
  inForce: P | null,
  at: number,
): PolicyStatus | null {
  const { object } = read;
  const before = object.status.conditions ?? [];
  const ready: Omit<Condition, 'lastTransitionTime'> =
    read.fault === null
      ? {
          type: 'Ready',
          status: 'True',
          observedGeneration: object.generation,
          reason: 'InForce',
          message: `revision ${read.policy.revision.slice(0, 12)} is in effect`,
        }
      : {
          type: 'Ready',
          status: 'False',
          observedGeneration: object.generation,
          reason: 'Invalid',
          message: `${read.fault.slice(0, 16_000)}${
            inForce === null ? '' : `; revision ${inForce.revision.slice(0, 12)} stays in effect`
          }`,
        };
  const status: PolicyStatus = {
    observedGeneration: object.generation,
    ...(inForce !== null && { revision: inForce.revision, enforcement: inForce.spec.enforcement }),
    conditions: withCondition(before, ready, formatTime(at)),
  };
  return isDeepStrictEqual(status, object.status) ? null : status;
}

/** WRITTEN_BY marks an object with the account that wrote it through the service's API, and the revision that it wrote. */
export const WRITTEN_BY = 'ipo.dev/written-by';
const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * withoutOwnMarks gives a document without what tools write into annotations: that is not part of what a person wrote, and an empty map
 * says nothing.
 */
export function withoutOwnMarks(
  document: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const {
    labels = {},
    annotations = {},
    ...metadata
  } = document['metadata'] as {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  const kept = Object.entries(annotations).filter(([key]) => key !== WRITTEN_BY && key !== APPLIED);
  return {
    ...document,
    metadata: {
      ...metadata,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
  };
}
