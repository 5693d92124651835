import { isDeepStrictEqual } from 'node:util';
import { PolicyError, type KeptPolicies, type PolicyKind, type StoredPolicy } from '../../policy/index.ts';
import { API_VERSION, sorted } from '../bundle.ts';
import { planEach } from '../each.ts';
import type { Bundled, Json, Kind, Planned } from '../kind.ts';

/** PolicyKindDeps are the policies of a kind, how they are read, and whether the cluster keeps them. */
export interface PolicyKindDeps<P> {
  /** As documents name it: `ImagePolicy`. */
  readonly kind: string;
  readonly reader: PolicyKind;
  /** What its entries in the audit log begin with. */
  readonly audit: 'policy' | 'runtime_policy';
  readonly policies: Pick<KeptPolicies<P>, 'list' | 'create' | 'update' | 'remove' | 'rehearse'>;
  readonly inCluster: boolean;
}

type WithSpec = { readonly spec: object };

/** policyKind brings policies of a kind into a configuration, as they were written. */
export function policyKind<P extends WithSpec>(deps: PolicyKindDeps<P>): Kind {
  const { kind, policies, inCluster } = deps;
  const all = async () => (await policies.list({ limit: null, offset: 0 })).items;
  return {
    kind,
    place: inCluster ? 'cluster' : 'database',
    async list() {
      const stored = await all();
      return {
        documents: stored.map((policy) => validOf(kind, policy)).filter((one) => one !== null),
        left: stored.flatMap(({ name, invalid }) => {
          if (invalid === undefined) return [];
          return invalid.inEffect === null
            ? [`${kind} ${name} is not valid and is left out: ${invalid.fault}`]
            : [`${kind} ${name} is not valid; its last valid revision stands here`];
        }),
      };
    },
    async plan(bundled, prune) {
      const stored = await all();
      const planned = await planEach(bundled, (one) => planOne(one, stored, deps), faultsOf);
      if ('faults' in planned || !prune) return planned;
      const gone = stored.filter(({ name }) => !bundled.some((one) => one.name === name));
      return [...planned, ...gone.map((policy) => planRemoval(policy, deps))];
    },
  };
}

function planOne<P>(
  { name, document: value }: Bundled,
  stored: readonly StoredPolicy<P>[],
  { kind, reader, audit, policies }: PolicyKindDeps<P>,
): Planned {
  const { document, revision } = reader.read(value);
  const before = stored.find((one) => one.name === name) ?? null;
  const same =
    before !== null &&
    before.invalid === undefined &&
    before.revision === revision &&
    isDeepStrictEqual(sorted(before.document), sorted(document));
  const shown = { name, before: before === null ? null : sorted(before.document), after: sorted(document) };
  if (same) return { ...shown, change: 'unchanged', notes: [] };
  return {
    ...shown,
    change: before === null ? 'create' : 'update',
    notes:
      before?.invalid === undefined ? [] : [`what stands is not a valid ${kind}: ${before.invalid.fault}`],
    rehearse: () => policies.rehearse(document),
    async apply(by) {
      const written =
        before === null
          ? await policies.create(document, by)
          : await policies.update(name, document, [before.version], by);
      const { revision: after, version } = written.policy;
      return {
        action: before === null ? `${audit}_create` : `${audit}_update`,
        target: name,
        detail: { revision: after, revision_before: written.before },
        ...(audit === 'policy' && { written: { name, version } }),
      };
    },
  };
}

function planRemoval<P>(policy: StoredPolicy<P>, { audit, policies }: PolicyKindDeps<P>): Planned {
  const { name, revision, version } = policy;
  return {
    name,
    change: 'delete',
    before: sorted(policy.document),
    after: null,
    notes: [],
    async apply() {
      await policies.remove(name, [version]);
      return { action: `${audit}_delete`, target: name, detail: { revision_before: revision } };
    },
  };
}

/** The document that decides: of an invalid one its last valid revision, null where there is none. */
function validOf<P extends WithSpec>(
  kind: string,
  { name, document, invalid }: StoredPolicy<P>,
): Json | null {
  if (invalid === undefined) return sorted(document);
  if (invalid.inEffect === null) return null;
  return sorted({ apiVersion: API_VERSION, kind, metadata: { name }, spec: invalid.inEffect.spec });
}

function faultsOf(error: unknown) {
  return error instanceof PolicyError ? error.problems.map(({ path, message }) => ({ path, message })) : null;
}
