import { isDeepStrictEqual } from 'node:util';
import { isFault, WRITTEN_BY, type Decides, type PolicyObjectKind } from '../../cluster/index.ts';
import type { PolicyWrite } from '../../policy/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { storedOf } from './policy-reads.ts';
import { pathOf, type KubeObject, type Resource } from './resources.ts';

/** Body is what is applied. */
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

/**
 * putPolicy applies the document against the version that was read; null when it is no longer that one. Applying takes out what this service applied
 * before, but leaves what others own (`kubectl apply` of an earlier document). So it is tried first: where the policy would not come out as
 * it was written, the whole spec is replaced instead, so that no mixture of the two is ever in effect.
 */
export async function putPolicy<P extends Decides>(
  api: KubernetesApi,
  custom: { readonly resource: Resource; readonly kind: PolicyObjectKind<P> },
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

/** whatOf names an object for people. */
export function whatOf({ kind }: Resource, name: string): string {
  return `the ${kind} ${name}`;
}

/** How an object is written, as the parts of a call. */
const writeOf = (resource: Resource, name: string) => ({
  path: pathOf(resource, { name }),
  query: { fieldManager: MANAGER, fieldValidation: 'Strict' },
  what: whatOf(resource, name),
});

/** openApply gives what applies an object, or tries to. */
export const openApply = (api: KubernetesApi, resource: Resource, body: Body) => (dryRun?: 'All') => {
  const { query, ...call } = writeOf(resource, body.metadata.name);
  return api.call<KubeObject>({
    ...call,
    method: 'PATCH',
    patch: 'apply',
    body,
    query: { ...query, force: true, dryRun },
  });
};

/** toBody makes the object of a policy. */
export function toBody({ apiVersion, kind }: Resource, { name, document, by, revision }: PolicyWrite): Body {
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
