import type { KubernetesApi } from './api.ts';
import { patchWebhooks } from './webhook-configuration.ts';

/**
 * writeCaBundle sets the authorities (PEM) that the API server trusts when it calls the webhooks of a configuration. Gives whether
 * they stand there: false where there is no such configuration. Nothing else of it is touched, and nothing is written that stands so
 * already.
 */
export function writeCaBundle(api: KubernetesApi, name: string, pem: string): Promise<boolean> {
  const value = Buffer.from(pem).toString('base64');
  return patchWebhooks(api, name, ({ caBundle }) =>
    caBundle === value ? null : { field: 'caBundle', value },
  );
}
