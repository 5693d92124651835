import type { Json } from './objects.ts';
import { StatusError } from './status-error.ts';

const STEP = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** checkWebhookPaths refuses what an API server refuses in the path of a webhook's Service: each segment is a name of DNS in lower case. */
export function checkWebhookPaths(configuration: Json): void {
  const { metadata, webhooks = [] } = configuration as {
    metadata: { name: string };
    webhooks?: readonly { clientConfig: { service?: { path?: string } } }[];
  };
  for (const [at, { clientConfig }] of webhooks.entries()) {
    const path = clientConfig.service?.path ?? '/';
    if (path === '' || path === '/') continue;
    const wrong = path
      .slice(1)
      .replace(/\/$/, '')
      .split('/')
      .findIndex((step) => step.length > 253 || !STEP.test(step));
    if (path.startsWith('/') && wrong === -1) continue;
    throw new StatusError(
      422,
      'Invalid',
      `ValidatingWebhookConfiguration.admissionregistration.k8s.io "${metadata.name}" is invalid: webhooks[${at}].clientConfig.service.path: Invalid value: "${path}": segment[${wrong}]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
    );
  }
}
