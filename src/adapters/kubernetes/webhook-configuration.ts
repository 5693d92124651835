import { isFault } from '../../cluster/index.ts';
import type { KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject } from './resources.ts';

/** ClientConfig says where and how the API server calls a webhook. */
export interface ClientConfig {
  readonly caBundle?: string;
  readonly url?: string;
  readonly service?: { readonly path?: string };
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly { readonly name?: string; readonly clientConfig?: ClientConfig }[];
}

/** Attempts against writers that were first. */
const ATTEMPTS = 5;

/** readWebhooks gives how the API server calls each webhook of a configuration; null where there is no such configuration. */
export async function readWebhooks(
  api: KubernetesApi,
  name: string,
): Promise<readonly ClientConfig[] | null> {
  const found = await find(api, name);
  return found === null ? null : (found.webhooks ?? []).map(({ clientConfig }) => clientConfig ?? {});
}

/**
 * patchWebhooks changes one field of the `clientConfig` of every webhook of a configuration. `change` gives its place and value, or null
 * where it stands so already. Gives whether it stands there: false where there is no such configuration. Nothing else of it is touched.
 */
export async function patchWebhooks(
  api: KubernetesApi,
  name: string,
  change: (config: ClientConfig) => { readonly field: string; readonly value: string } | null,
): Promise<boolean> {
  const what = `the ValidatingWebhookConfiguration ${name}`;
  for (let attempt = 1; ; attempt += 1) {
    const found = await find(api, name);
    if (found === null) return false;
    const changes = (found.webhooks ?? []).flatMap(({ clientConfig = {} }, index) => {
      const made = change(clientConfig);
      if (made === null) return [];
      return [{ op: 'add', path: `/webhooks/${index}/clientConfig/${made.field}`, value: made.value }];
    });
    if (changes.length === 0) return true;
    // The places are those of this version: a webhook that was put before them meanwhile must not get the change of another.
    const test = {
      op: 'test',
      path: '/metadata/resourceVersion',
      value: found.metadata?.resourceVersion ?? '',
    };
    try {
      const path = pathOf(RESOURCES.webhooks, { name });
      await api.call({ method: 'PATCH', patch: 'json', path, body: [test, ...changes], what });
      return true;
    } catch (error) {
      if (attempt >= ATTEMPTS || !(isFault(error, 'conflict') || isFault(error, 'invalid'))) throw error;
    }
  }
}

function find(api: KubernetesApi, name: string): Promise<Configuration | null> {
  return api.find<Configuration>({
    method: 'GET',
    path: pathOf(RESOURCES.webhooks, { name }),
    what: `the ValidatingWebhookConfiguration ${name}`,
  });
}
