import type { KubernetesApi } from '../../adapters/kubernetes/index.ts';
import { isIpoError } from '../../base/index.ts';
import { isFault } from '../../cluster/index.ts';
import type { ClusterFacts } from '../../doctor/index.ts';

/** Milliseconds that the API server may take to reach the webhook. */
const REACH = 10_000;

/**
 * webhookAnswers has the API server itself call the webhook behind a Service. Any answer will do: all but the secret path is not found there.
 * Gives why there was none; null where this account may not use the proxy of a Service.
 */
export async function webhookAnswers(
  api: KubernetesApi,
  namespace: string,
  service: string,
): Promise<ClusterFacts['webhookAnswers']> {
  const path = `/api/v1/namespaces/${namespace}/services/https:${service}:webhook/proxy/`;
  try {
    const call = { method: 'GET', path, what: `the Service ${service}` } as const;
    const { body } = await api.open(call, AbortSignal.timeout(REACH));
    await body.dump();
    return true;
  } catch (error) {
    if (!isIpoError(error)) throw error;
    if (isFault(error, 'forbidden') || isFault(error, 'unauthorized')) return null;
    return isFault(error, 'server') || isFault(error, 'timeout') ? error.message : true;
  }
}
