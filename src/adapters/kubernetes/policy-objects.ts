import type { PolicyObject, PolicyStatus, PolicyStatuses } from '../../cluster/index.ts';
import { isFault } from '../../cluster/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { pathOf, type KubeObject, type Resource } from './resources.ts';

/** toPolicyObject gives an object of a kind of policies as the cluster domain takes it, or null for one without a name or version. */
export function toPolicyObject({ apiVersion, kind }: Resource, object: KubeObject): PolicyObject | null {
  const { name, uid, resourceVersion, generation } = object.metadata ?? {};
  if (name === undefined || uid === undefined || resourceVersion === undefined) return null;
  const { status } = object as { readonly status?: PolicyStatus };
  return {
    name,
    uid,
    version: resourceVersion,
    generation: generation ?? 0,
    status: isStatus(status) ? status : {},
    // The list of a kind leaves apiVersion and kind out of its items.
    value: { ...(object as Readonly<Record<string, unknown>>), apiVersion, kind },
  };
}

/** A status that somebody else wrote is replaced. */
function isStatus(status: unknown): status is PolicyStatus {
  if (typeof status !== 'object' || status === null) return false;
  const { conditions } = status as { readonly conditions?: unknown };
  return (
    conditions === undefined ||
    (Array.isArray(conditions) &&
      conditions.every((one) => typeof one === 'object' && one !== null && 'type' in one))
  );
}

/** policyStatuses writes statuses, each against the version that it was judged from. */
export function policyStatuses(api: KubernetesApi, resource: Resource): PolicyStatuses {
  const { apiVersion, kind } = resource;
  return {
    async write({ name, uid, version }, status) {
      try {
        await api.call({
          method: 'PATCH',
          patch: 'merge',
          path: `${pathOf(resource, { name })}/status`,
          query: { fieldManager: `${MANAGER}-status` },
          // A field that the status no longer has is taken out.
          body: {
            apiVersion,
            kind,
            metadata: { name, uid, resourceVersion: version },
            status: { revision: null, enforcement: null, ...status },
          },
          what: `the status of the ${kind} ${name}`,
        });
        return true;
      } catch (error) {
        // It changed, or is gone: the next look at it decides.
        if (isFault(error, 'conflict') || isFault(error, 'not_found')) return false;
        throw error;
      }
    },
  };
}
