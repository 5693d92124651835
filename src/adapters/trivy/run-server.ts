import { Agent, EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { isLoopback } from '../../base/index.ts';
import { ScannerError } from '../../scan/index.ts';
import { openConnector, type Outbound } from '../transport/index.ts';
import { readVersion, type TrivyVersion } from './run-version.ts';

const TIMEOUT = 10_000;
const MAX_BYTES = 65_536;

/**
 * serverState asks a server of Trivy which version and which database it has. One call, no redirect, bounded. Throws ScannerError
 * `scanner`: without its server no scan can be made.
 */
export async function serverState(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  outbound?: Outbound,
): Promise<TrivyVersion> {
  const url = new URL('version', server.endsWith('/') ? server : `${server}/`);
  const agent = openAgent(url, env, outbound);
  try {
    const { statusCode, body } = await request(url, {
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'ipo' },
      dispatcher: agent,
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT), signal]),
    });
    if (statusCode !== 200)
      throw new ScannerError(
        'scanner',
        `the server of Trivy at ${url.host} answers with status ${statusCode}`,
        {
          hint: 'Check scanner.server; a server from Trivy 0.45 on says which database it has',
        },
      );
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MAX_BYTES) throw new ScannerError('scanner', `${url.host} is not a Trivy server`);
      parts.push(part);
    }
    return readVersion(Buffer.concat(parts).toString('utf8'));
  } catch (error) {
    if (error instanceof ScannerError) throw error;
    if (signal.aborted) throw new ScannerError('stopped', 'the service was stopped', { cause: error });
    throw new ScannerError('scanner', `the server of Trivy at ${url.host} cannot be reached`, {
      hint: 'Check scanner.server, and that the network lets us there',
      cause: error,
    });
  } finally {
    await agent.destroy();
  }
}

/** By the proxy of the settings, or one that the environment names, as the program itself goes. */
function openAgent(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
  outbound?: Outbound,
): Dispatcher {
  const limits = { headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT };
  const httpProxy = env['HTTP_PROXY'] ?? env['http_proxy'];
  const httpsProxy = env['HTTPS_PROXY'] ?? env['https_proxy'];
  const isEnvironments = (outbound?.proxyOf ?? null) === null;
  const secureContext = outbound?.secureContext;
  if (
    isEnvironments &&
    (url.protocol === 'https:' ? httpsProxy : httpProxy) !== undefined &&
    !isLoopback(url.hostname)
  )
    return new EnvHttpProxyAgent({
      ...limits,
      ...(secureContext !== undefined && { requestTls: { secureContext }, proxyTls: { secureContext } }),
      ...(httpProxy !== undefined && { httpProxy }),
      ...(httpsProxy !== undefined && { httpsProxy }),
      noProxy: env['NO_PROXY'] ?? env['no_proxy'] ?? '',
    });
  const rules = { testLoopback: isLoopback(url.hostname), privateNetworks: 'allow', denied: [] } as const;
  return new Agent({ ...limits, connect: openConnector({ rules, timeoutMs: TIMEOUT, outbound }) });
}
