import type { KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject } from './resources.ts';

interface Configuration extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig?: { readonly caBundle?: string } }[];
}

/**
 * readCaBundles gives the authorities (PEM) that the API server trusts when it calls each webhook of a configuration, empty where it has
 * none; null where there is no such configuration.
 */
export async function readCaBundles(api: KubernetesApi, name: string): Promise<readonly string[] | null> {
  const found = await api.find<Configuration>({
    method: 'GET',
    path: pathOf(RESOURCES.webhooks, { name }),
    what: `the ValidatingWebhookConfiguration ${name}`,
  });
  if (found === null) return null;
  return (found.webhooks ?? []).map(({ clientConfig }) =>
    Buffer.from(clientConfig?.caBundle ?? '', 'base64').toString(),
  );
}
