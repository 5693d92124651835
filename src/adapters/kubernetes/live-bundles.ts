import type { KubernetesApi } from './api.ts';
import { readWebhooks } from './webhook-configuration.ts';

/**
 * readCaBundles gives the authorities (PEM) that the API server trusts when it calls each webhook of a configuration, empty where it has
 * none; null where there is no such configuration.
 */
export async function readCaBundles(api: KubernetesApi, name: string): Promise<readonly string[] | null> {
  const found = await readWebhooks(api, name);
  return found?.map(({ caBundle = '' }) => Buffer.from(caBundle, 'base64').toString()) ?? null;
}
