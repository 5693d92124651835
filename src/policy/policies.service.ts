import { IpoError, type Clock, type IpoErrorOptions } from '../base/index.ts';
import { parsePolicyValue } from './parse-value.ts';
import type { Policy } from './policy.ts';
import type {
  Expected,
  Listed,
  NamedPolicies,
  PolicyPage,
  PolicyRevision,
  PolicyStore,
  PolicyWrite,
  StoredPolicy,
} from './ports.ts';

/** PolicyWriteError says why a stored policy cannot be read or written as asked. */
class PolicyWriteError extends IpoError {
  override readonly name = 'PolicyWriteError';
  constructor(
    code: 'conflict' | 'not_found' | 'precondition_failed' | 'invalid_request',
    message: string,
    options: IpoErrorOptions = {},
  ) {
    super(code, message, options);
  }
}

/** Written is the outcome of a write. */
export interface Written<P = Policy> {
  readonly policy: StoredPolicy<P>;
  /** False when the policy stood so already: nothing was written. */
  readonly changed: boolean;
  /** Revision before, the same where only labels or spelling changed; null where there was no policy. */
  readonly before: string | null;
}

/** KeptPolicies are the policies of one kind that are in effect. */
export interface KeptPolicies<P = Policy> {
  list(page: PolicyPage): Promise<Listed<StoredPolicy<P>>>;
  /** Throws `not_found`. */
  get(name: string): Promise<StoredPolicy<P>>;
  /** Throws PolicyError, and `conflict` when the name is taken. */
  create(value: unknown, by: string | null): Promise<Written<P>>;
  /**
   * Replaces the policy that the document names. `name` is that of the request, or null to take the document's. Throws
   * PolicyError, `invalid_request` when the two names differ, `not_found`, and `precondition_failed` when none of the
   * expected versions stands.
   */
  update(name: string | null, value: unknown, expected: Expected, by: string | null): Promise<Written<P>>;
  /** Gives what was deleted. Throws `not_found` and `precondition_failed`. */
  remove(name: string, expected: Expected): Promise<StoredPolicy<P>>;
  /** Tries to write a policy, new or not, without writing it: what the cluster would refuse is thrown. Throws PolicyError. */
  rehearse(value: unknown): Promise<void>;
}

/** Policies are the policies in effect and their revisions. */
export interface Policies extends KeptPolicies {
  /** The revision in effect under a name, or null. */
  current(name: string): Promise<string | null>;
  /** Throws `not_found` when there never was a policy of that name. */
  revisions(name: string, page: PolicyPage): Promise<Listed<PolicyRevision>>;
  /** Throws `not_found`. */
  revision(name: string, revision: string): Promise<PolicyRevision>;
}

/** PolicyKind is how the policies of a kind are read, and how errors call them. */
export interface PolicyKind {
  /** `policy`, after "a" and "the". */
  readonly noun: string;
  /** Path of the list under the API: `/api/v1/policies`. */
  readonly path: string;
  /** Throws PolicyError. */
  read(value: unknown): Pick<PolicyWrite, 'name' | 'document' | 'revision'>;
}

/** IMAGE_POLICIES is how image policies are read where policies are kept. */
export const IMAGE_POLICIES: PolicyKind = {
  noun: 'policy',
  path: '/api/v1/policies',
  read: (value) => {
    const { policy, document } = parsePolicyValue(value);
    return { name: policy.name, document, revision: policy.revision };
  },
};

/** openKeptPolicies joins the policies of a kind to where they are kept. */
export function openKeptPolicies<P>(
  kind: PolicyKind,
  { store, clock }: { readonly store: NamedPolicies<P>; readonly clock: Clock },
): KeptPolicies<P> {
  const { noun } = kind;
  const read = (value: unknown, by: string | null): PolicyWrite => ({
    ...kind.read(value),
    at: clock.now(),
    by,
  });
  const notFound = (name: string): PolicyWriteError =>
    new PolicyWriteError('not_found', `no ${noun} has the name ${name}`, {
      hint: `GET ${kind.path} lists those in effect`,
    });
  const mismatch = (name: string): PolicyWriteError =>
    new PolicyWriteError('precondition_failed', `the ${noun} ${name} has been changed since it was read`, {
      hint: 'Read it again, look at what changed, and send its new ETag as If-Match',
    });
  return {
    list: (page) => store.list(page),
    async get(name) {
      const policy = await store.get(name);
      if (policy === null) throw notFound(name);
      return policy;
    },
    async create(value, by) {
      const write = read(value, by);
      const policy = await store.create(write);
      if (policy !== null) return { policy, changed: true, before: null };
      throw new PolicyWriteError('conflict', `a ${noun} named ${write.name} already exists`, {
        hint: 'Change the existing one, such as with ipo policy apply, or choose another name',
      });
    },
    async update(name, value, expected, by) {
      const write = read(value, by);
      if (name !== null && name !== write.name) {
        const message = `the document is the ${noun} ${write.name}, the request names ${name}`;
        throw new PolicyWriteError('invalid_request', message, {
          hint: `A ${noun} cannot be renamed: create the one and delete the other`,
          fields: [{ path: 'metadata.name', message }],
        });
      }
      const outcome = await store.replace(write, expected);
      switch (outcome.kind) {
        case 'missing':
          throw notFound(write.name);
        case 'mismatch':
          throw mismatch(write.name);
        case 'unchanged':
          return { policy: outcome.policy, changed: false, before: outcome.policy.revision };
        case 'replaced':
          return { policy: outcome.policy, changed: true, before: outcome.before.revision };
      }
    },
    async remove(name, expected) {
      const outcome = await store.remove(name, expected, clock.now());
      if (outcome.kind === 'removed') return outcome.policy;
      throw outcome.kind === 'missing' ? notFound(name) : mismatch(name);
    },
    rehearse: async (value) => {
      await store.rehearse?.(read(value, null));
    },
  };
}

/** openPolicies joins the policies to where they and their revisions are kept. */
export function openPolicies({
  store,
  clock,
}: {
  readonly store: PolicyStore;
  readonly clock: Clock;
}): Policies {
  return {
    ...openKeptPolicies(IMAGE_POLICIES, { store, clock }),
    current: async (name) => (await store.get(name))?.revision ?? null,
    async revisions(name, page) {
      const listed = await store.revisions(name, page);
      if (listed.total > 0) return listed;
      throw new PolicyWriteError('not_found', `no policy has the name ${name}`, {
        hint: 'GET /api/v1/policies lists those in effect',
      });
    },
    async revision(name, revision) {
      const found = await store.revision(name, revision);
      if (found !== null) return found;
      throw new PolicyWriteError(
        'not_found',
        `no policy has the revision ${revision} of a policy named ${name}`,
        {
          hint: `GET /api/v1/policies/${name}/revisions lists its revisions`,
        },
      );
    },
  };
}
