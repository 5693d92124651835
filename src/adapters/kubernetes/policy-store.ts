import { isDeepStrictEqual } from 'node:util';
import {
  IMAGE_POLICY,
  isFault,
  WRITTEN_BY,
  ClusterError,
  type Decides,
  type PolicyObjectKind,
} from '../../cluster/index.ts';
import type {
  Expected,
  NamedPolicies,
  Policy,
  PolicyStore,
  PolicyWrite,
  StoredPolicy,
} from '../../policy/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { storedOf, unreadable } from './policy-reads.ts';
import { pathOf, RESOURCES, type KubeList, type KubeObject, type Resource } from './resources.ts';

/** PolicyRevisions keeps every revision there was; the cluster itself keeps only the newest. */
export type PolicyRevisions = Pick<PolicyStore, 'revisions' | 'revision'> &
  Pick<CustomPolicies<Policy>, 'record' | 'inEffect'>;

/** CustomPolicies are the objects of one kind of policies. */
export interface CustomPolicies<P extends Decides> {
  readonly resource: Resource;
  readonly kind: PolicyObjectKind<P>;
  /** Keeps revisions before they are in effect, of a kind whose revisions are kept. */
  record(policies: readonly PolicyWrite[]): Promise<void>;
  /** The policy that decides under a name, or null. */
  inEffect(name: string): P | null;
}

/** Attempts at a write that may meet whichever version stands. */
const ATTEMPTS = 5;

/** customPolicyStore keeps policies as ImagePolicy objects of the cluster, and their revisions elsewhere. */
export function customPolicyStore(api: KubernetesApi, revisions: PolicyRevisions): PolicyStore {
  const policies = customPolicies(api, {
    resource: RESOURCES.imagePolicies,
    kind: IMAGE_POLICY,
    record: (writes) => revisions.record(writes),
    inEffect: (name) => revisions.inEffect(name),
  });
  return {
    ...policies,
    revisions: (name, page) => revisions.revisions(name, page),
    revision: (name, revision) => revisions.revision(name, revision),
  };
}

/**
 * customPolicies keeps policies as objects of the cluster: a write is a server-side apply, its ETag the resourceVersion. An object that is
 * not a valid policy is there too, as invalid: its last valid revision decides on, and a write or a removal fixes it.
 */
export function customPolicies<P extends Decides>(
  api: KubernetesApi,
  custom: CustomPolicies<P>,
): NamedPolicies<P> {
  const { resource } = custom;
  const toStored = (object: KubeObject) => storedOf(custom, object, (name) => custom.inEffect(name));
  const whatOf = (name: string): string => `the ${resource.kind} ${name}`;
  const stored = (object: KubeObject, name: string): StoredPolicy<P> => {
    const policy = storedOf(custom, object);
    if (policy !== null && policy.invalid === undefined) return policy;
    throw new ClusterError('unreadable', `${whatOf(name)} was written and came back as no policy`, {
      hint: 'Compare the CustomResourceDefinition of the cluster with that of this release',
    });
  };
  const read = async (name: string): Promise<KubeObject | null> =>
    api.find<KubeObject>({ method: 'GET', path: pathOf(resource, { name }), what: whatOf(name) });
  return {
    async list({ limit, offset }) {
      const items: StoredPolicy<P>[] = [];
      let from: string | undefined;
      do {
        const page: KubeList<KubeObject> = await api.call({
          method: 'GET',
          path: pathOf(resource),
          query: { limit: 500, continue: from },
          what: `the list of ${resource.plural}`,
        });
        // By name, as the API server sorts them.
        for (const object of page.items ?? []) {
          const stored = toStored(object);
          if (stored !== null) items.push(stored);
        }
        from = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
      } while (from !== undefined);
      return { items: items.slice(offset, limit === null ? undefined : offset + limit), total: items.length };
    },
    async get(name) {
      const object = await read(name);
      return object === null ? null : toStored(object);
    },
    async create(write) {
      await custom.record([write]);
      try {
        const made = await api.call<KubeObject>({
          method: 'POST',
          path: pathOf(resource),
          query: { fieldManager: MANAGER, fieldValidation: 'Strict' },
          body: toBody(resource, write),
          what: whatOf(write.name),
        });
        return stored(made, write.name);
      } catch (error) {
        if (isFault(error, 'conflict')) return null;
        throw error;
      }
    },
    async replace(write, expected) {
      for (let attempt = 1; ; attempt += 1) {
        const found = await read(write.name);
        if (found === null) return { kind: 'missing' };
        const version = found.metadata?.resourceVersion ?? '';
        if (!stands(version, expected)) return { kind: 'mismatch' };
        const before = toStored(found);
        if (
          before !== null &&
          before.invalid === undefined &&
          before.revision === write.revision &&
          isDeepStrictEqual(before.document, write.document)
        )
          return { kind: 'unchanged', policy: before };
        await custom.record([write]);
        const made = await put(api, custom, write, found);
        // Somebody wrote it meanwhile.
        if (made === null && (expected !== 'any' || attempt >= ATTEMPTS)) return { kind: 'mismatch' };
        if (made === null) continue;
        const policy = stored(made, write.name);
        return { kind: 'replaced', policy, before: before ?? policy };
      }
    },
    async remove(name, expected) {
      for (let attempt = 1; ; attempt += 1) {
        const found = await read(name);
        if (found === null) return { kind: 'missing' };
        const { resourceVersion = '', uid } = found.metadata ?? {};
        if (!stands(resourceVersion, expected)) return { kind: 'mismatch' };
        const policy = toStored(found);
        try {
          await api.call({
            method: 'DELETE',
            path: pathOf(resource, { name }),
            body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
            what: whatOf(name),
          });
        } catch (error) {
          if (isFault(error, 'not_found')) return { kind: 'missing' };
          if (!isFault(error, 'conflict')) throw error;
          if (expected !== 'any' || attempt >= ATTEMPTS) return { kind: 'mismatch' };
          continue;
        }
        return { kind: 'removed', policy: policy ?? unreadable<P>(resource, found) };
      }
    },
    rehearse: async (write) => {
      await openApply(api, resource, toBody(resource, write))('All');
    },
  };
}

/**
 * Applies the document against the version that was read; null when it is no longer that one. Applying takes out what this service applied
 * before, but leaves what others own (`kubectl apply` of an earlier document). So it is tried first: where the policy would not come out as
 * it was written, the whole spec is replaced instead, so that no mixture of the two is ever in effect.
 */
async function put<P extends Decides>(
  api: KubernetesApi,
  custom: CustomPolicies<P>,
  write: PolicyWrite,
  found: KubeObject,
): Promise<KubeObject | null> {
  const { resource } = custom;
  const { name } = write;
  const { uid, resourceVersion } = found.metadata ?? {};
  const body = toBody(resource, write);
  const against = { ...body, metadata: { ...body.metadata, uid, resourceVersion } };
  const apply = openApply(api, resource, against);
  try {
    const came = storedOf(custom, await apply('All'));
    const fits =
      came?.invalid === undefined &&
      came?.revision === write.revision &&
      isDeepStrictEqual(came.document, write.document);
    if (fits) return await apply();
    const { labels, annotations } = body.metadata;
    const { managedFields: _, ...metadata } = found.metadata ?? {};
    return await api.call<KubeObject>({
      ...writeOf(resource, name),
      method: 'PUT',
      body: {
        ...found,
        apiVersion: body.apiVersion,
        kind: body.kind,
        metadata: { ...metadata, labels, annotations },
        spec: body.spec,
      },
    });
  } catch (error) {
    if (isFault(error, 'conflict')) return null;
    throw error;
  }
}

/** How an object is written, as the parts of a call. */
const writeOf = (resource: Resource, name: string) => ({
  path: pathOf(resource, { name }),
  query: { fieldManager: MANAGER, fieldValidation: 'Strict' },
  what: `the ${resource.kind} ${name}`,
});

/** Gives what applies an object, or tries to. */
const openApply = (api: KubernetesApi, resource: Resource, body: Body) => (dryRun?: 'All') => {
  const { query, ...call } = writeOf(resource, body.metadata.name);
  return api.call<KubeObject>({
    ...call,
    method: 'PATCH',
    patch: 'apply',
    body,
    query: { ...query, force: true, dryRun },
  });
};

function stands(version: string, expected: Expected): boolean {
  return expected === 'any' || expected.includes(version);
}

interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: unknown;
}

function toBody({ apiVersion, kind }: Resource, { name, document, by, revision }: PolicyWrite): Body {
  const { labels = {}, annotations = {} } = document['metadata'] as Partial<Body['metadata']>;
  const marked = { ...annotations, ...(by !== null && { [WRITTEN_BY]: `${by} ${revision}` }) };
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(marked).length > 0 && { annotations: marked }),
    },
    spec: document['spec'] ?? {},
  };
}
