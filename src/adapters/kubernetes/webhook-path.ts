import type { KubernetesApi } from './api.ts';
import { patchWebhooks, readWebhooks, type ClientConfig } from './webhook-configuration.ts';

/** readWebhookPaths gives the path by which the API server calls each webhook of a configuration; null where there is none. */
export async function readWebhookPaths(api: KubernetesApi, name: string): Promise<readonly string[] | null> {
  const found = await readWebhooks(api, name);
  return found?.map(pathIn) ?? null;
}

/** writeWebhookPath sets that path, of a Service or of an address. Gives false where there is no such configuration. */
export function writeWebhookPath(api: KubernetesApi, name: string, path: string): Promise<boolean> {
  return patchWebhooks(api, name, (config) => {
    if (pathIn(config) === path) return null;
    if (config.url === undefined) return { field: 'service/path', value: path };
    const url = new URL(config.url);
    url.pathname = path;
    return { field: 'url', value: url.href };
  });
}

function pathIn({ url, service }: ClientConfig): string {
  if (url === undefined) return service?.path ?? '';
  return URL.canParse(url) ? new URL(url).pathname : '';
}
