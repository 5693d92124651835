import type { PolicyObject, PolicyStatus, PolicyStatuses } from '../../cluster/index.ts';
import { isFault } from '../../cluster/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject } from './resources.ts';

/** toPolicyObject gives an ImagePolicy as the cluster domain takes it, or null for an object without a name or version. */
export function toPolicyObject(object: KubeObject): PolicyObject | null {
  const { name, uid, resourceVersion, generation } = object.metadata ?? {};
  if (name === undefined || uid === undefined || resourceVersion === undefined) return null;
  const { status } = object as { readonly status?: PolicyStatus };
  // The list of a kind leaves apiVersion and kind out of its items.
  const { apiVersion, kind } = RESOURCES.imagePolicies;
  return {
    name,
    uid,
    version: resourceVersion,
    generation: generation ?? 0,
    status: isStatus(status) ? status : {},
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
export function policyStatuses(api: KubernetesApi): PolicyStatuses {
  return {
    async write({ name, uid, version }, status) {
      const { apiVersion, kind } = RESOURCES.imagePolicies;
      try {
        await api.call({
          method: 'PATCH',
          patch: 'merge',
          path: `${pathOf(RESOURCES.imagePolicies, { name })}/status`,
          query: { fieldManager: `${MANAGER}-status` },
          // A field that the status no longer has is taken out.
          body: {
            apiVersion,
            kind,
            metadata: { name, uid, resourceVersion: version },
            status: { revision: null, enforcement: null, ...status },
          },
          what: `the status of the ImagePolicy ${name}`,
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
