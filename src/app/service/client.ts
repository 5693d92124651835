import type { ServiceClient, ServiceOptions } from '../../adapters/service/index.ts';
import { isLoopback } from '../../base/index.ts';

/**
 * openServiceClient makes a client of a running service; a service on another machine is reached through the proxy that the
 * environment names. Throws `usage` for an address or a proxy that is none.
 */
export async function openServiceClient(options: ServiceOptions): Promise<ServiceClient> {
  const adapter = await import('../../adapters/service/index.ts');
  const isHere = isLoopback(new URL(adapter.parseServer(options.server)).hostname);
  return adapter.openServiceClient({ ...options, proxy: isHere ? undefined : proxyOf(process.env) });
}

/** proxyOf is the proxy that the environment names for HTTPS, in either of the two customary spellings. */
function proxyOf(env: NodeJS.ProcessEnv): ServiceOptions['proxy'] {
  const url = env['https_proxy'] || env['HTTPS_PROXY'] || undefined;
  return url === undefined ? undefined : { url, except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

/** parseServer reads the address of a service as a person writes it. Throws `usage`. */
export async function parseServer(text: string): Promise<string> {
  return (await import('../../adapters/service/index.ts')).parseServer(text);
}
