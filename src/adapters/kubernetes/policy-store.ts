import { isDeepStrictEqual } from 'node:util';
import {
  IMAGE_POLICY,
  isFault,
  ClusterError,
  type Decides,
  type PolicyObjectKind,
} from '../../cluster/index.ts';
import type {
  Expected,
  Listed,
  NamedPolicies,
  Policy,
  PolicyPage,
  PolicyStore,
  PolicyWrite,
  Removed,
  Replaced,
  StoredPolicy,
} from '../../policy/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { openApply, putPolicy, toBody, whatOf } from './policy-apply.ts';
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
  const on: CustomContext<P> = { api, custom };
  return {
    list: (page) => list(on, page),
    async get(name) {
      const object = await read(on, name);
      return object === null ? null : toStored(on, object);
    },
    create: (write) => create(on, write),
    replace: (write, expected) => replace(on, write, expected),
    remove: (name, expected) => remove(on, name, expected),
    rehearse: async (write) => {
      await openApply(api, resource, toBody(resource, write))('All');
    },
  };
}

/** What the acts on policies of a kind have in common. */
interface CustomContext<P extends Decides> {
  readonly api: KubernetesApi;
  readonly custom: CustomPolicies<P>;
}

/** Null for an object that is not a policy of this service; an invalid one comes with the revision that still decides. */
function toStored<P extends Decides>({ custom }: CustomContext<P>, object: KubeObject) {
  return storedOf(custom, object, (name) => custom.inEffect(name));
}

/** A policy as it came back from a write. */
function written<P extends Decides>(
  custom: CustomPolicies<P>,
  object: KubeObject,
  name: string,
): StoredPolicy<P> {
  const policy = storedOf(custom, object);
  if (policy !== null && policy.invalid === undefined) return policy;
  throw new ClusterError(
    'unreadable',
    `${whatOf(custom.resource, name)} was written, but the API server returned an object that is not a policy`,
    { hint: 'Compare the CustomResourceDefinition of the cluster with that of this release' },
  );
}

function read<P extends Decides>(
  { api, custom: { resource } }: CustomContext<P>,
  name: string,
): Promise<KubeObject | null> {
  const path = pathOf(resource, { name });
  return api.find<KubeObject>({ method: 'GET', path, what: whatOf(resource, name) });
}

async function list<P extends Decides>(
  on: CustomContext<P>,
  { limit, offset }: PolicyPage,
): Promise<Listed<StoredPolicy<P>>> {
  const {
    api,
    custom: { resource },
  } = on;
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
      const stored = toStored(on, object);
      if (stored !== null) items.push(stored);
    }
    from = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
  } while (from !== undefined);
  return { items: items.slice(offset, limit === null ? undefined : offset + limit), total: items.length };
}

async function create<P extends Decides>(
  on: CustomContext<P>,
  write: PolicyWrite,
): Promise<StoredPolicy<P> | null> {
  const { api, custom } = on;
  const { resource } = custom;
  await custom.record([write]);
  try {
    const made = await api.call<KubeObject>({
      method: 'POST',
      path: pathOf(resource),
      query: { fieldManager: MANAGER, fieldValidation: 'Strict' },
      body: toBody(resource, write),
      what: whatOf(resource, write.name),
    });
    return written(custom, made, write.name);
  } catch (error) {
    if (isFault(error, 'conflict')) return null;
    throw error;
  }
}

async function replace<P extends Decides>(
  on: CustomContext<P>,
  write: PolicyWrite,
  expected: Expected,
): Promise<Replaced<P>> {
  const { api, custom } = on;
  for (let attempt = 1; ; attempt += 1) {
    const found = await read(on, write.name);
    if (found === null) return { kind: 'missing' };
    const version = found.metadata?.resourceVersion ?? '';
    if (!stands(version, expected)) return { kind: 'mismatch' };
    const before = toStored(on, found);
    if (
      before !== null &&
      before.invalid === undefined &&
      before.revision === write.revision &&
      isDeepStrictEqual(before.document, write.document)
    )
      return { kind: 'unchanged', policy: before };
    await custom.record([write]);
    const made = await putPolicy(api, custom, write, found);
    // Somebody wrote it meanwhile.
    if (made === null && (expected !== 'any' || attempt >= ATTEMPTS)) return { kind: 'mismatch' };
    if (made === null) continue;
    const policy = written(custom, made, write.name);
    return { kind: 'replaced', policy, before: before ?? policy };
  }
}

async function remove<P extends Decides>(
  on: CustomContext<P>,
  name: string,
  expected: Expected,
): Promise<Removed<P>> {
  const {
    api,
    custom: { resource },
  } = on;
  for (let attempt = 1; ; attempt += 1) {
    const found = await read(on, name);
    if (found === null) return { kind: 'missing' };
    const { resourceVersion = '', uid } = found.metadata ?? {};
    if (!stands(resourceVersion, expected)) return { kind: 'mismatch' };
    const policy = toStored(on, found);
    try {
      await api.call({
        method: 'DELETE',
        path: pathOf(resource, { name }),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
        what: whatOf(resource, name),
      });
    } catch (error) {
      if (isFault(error, 'not_found')) return { kind: 'missing' };
      if (!isFault(error, 'conflict')) throw error;
      if (expected !== 'any' || attempt >= ATTEMPTS) return { kind: 'mismatch' };
      continue;
    }
    return { kind: 'removed', policy: policy ?? unreadable<P>(resource, found) };
  }
}

function stands(version: string, expected: Expected): boolean {
  return expected === 'any' || expected.includes(version);
}
