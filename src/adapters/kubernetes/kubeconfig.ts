import type { KubeConfig as Kubeconfig } from '@kubernetes/client-node';
import type { Agent as HttpsAgent, RequestOptions } from 'node:https';
import type { Connection } from './connection.ts';
import { fileFaultOf, IpoError } from '../../base/index.ts';
import { ClusterError } from '../../cluster/index.ts';
import { openAgent } from './in-cluster.ts';

/** Exec plugins and the like give credentials that end; they are asked again after this. */
const REFRESH_MS = 60_000;

async function readKubeconfig(path: string): Promise<Kubeconfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    config.loadFromFile(path);
    return config;
  } catch (cause) {
    const hint = 'Give an existing file with --kubeconfig FILE, or in KUBECONFIG';
    const fault = fileFaultOf(cause);
    if (fault !== null) throw new IpoError('unreadable', `${path}: ${fault.message}`, { hint, cause });
    throw new ClusterError('setup', `${path} cannot be read as a kubeconfig`, { hint, cause });
  }
}

/**
 * openKubeconfig gives the connection of a context of a kubeconfig, the current one unless named. The client library reads it, with its exec plugins and
 * identity providers; it takes thirteen times as long to load as Node to start, hence only here.
 */
export async function openKubeconfig(
  path: string,
  named: string | null = null,
): Promise<Connection & { readonly context: string }> {
  const config = await readKubeconfig(path);
  if (named !== null && config.getContextObject(named) === null)
    throw new ClusterError('setup', `${path} has no context "${named}"`, {
      hint: `Contexts: ${config
        .getContexts()
        .map(({ name }) => name)
        .join(', ')}`,
    });
  if (named !== null) config.setCurrentContext(named);
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new ClusterError('setup', `${path} has no current context with a cluster`, {
      hint: 'Choose one with kubectl config use-context',
    });
  const proxy = cluster.proxyUrl;
  if (proxy !== undefined && proxy !== null)
    throw new ClusterError(
      'setup',
      `${path} reaches the cluster through a proxy, which is not supported here`,
    );
  if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify)
    throw new ClusterError('setup', `${path}: the address of the API server must begin with https://`, {
      hint: `Correct clusters.server, which is ${cluster.server}`,
    });

  const ask = async (): Promise<Identity> => {
    const options: RequestOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    // The library keeps what TLS needs in an agent of node:https.
    const tls = (options.agent as HttpsAgent | undefined)?.options ?? options;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value);
    if (options.auth !== undefined && options.auth !== null)
      headers['authorization'] ??= `Basic ${Buffer.from(options.auth).toString('base64')}`;
    const material = {
      ca: (tls.ca ?? undefined) as Buffer | undefined,
      cert: (tls.cert ?? undefined) as Buffer | undefined,
      key: (tls.key ?? undefined) as Buffer | undefined,
      rejectUnauthorized: tls.rejectUnauthorized,
      servername: (tls as { servername?: string }).servername,
    };
    return { headers, material, askedAt: performance.now() };
  };
  let identity = await ask().catch((cause: unknown) => {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw new ClusterError('setup', `${path} cannot be used${why}`, { cause });
  });
  let agent = openAgent(identity.material);
  const fresh = async (): Promise<void> => {
    if (performance.now() - identity.askedAt < REFRESH_MS) return;
    const before = identity.material;
    identity = await ask();
    if (same(before.cert, identity.material.cert) && same(before.ca, identity.material.ca)) return;
    const old = agent;
    agent = openAgent(identity.material);
    void old.close().catch(() => undefined);
  };
  const context = config.getContextObject(config.getCurrentContext());
  return {
    context: config.getCurrentContext(),
    server: cluster.server.replace(/\/$/, ''),
    namespace: context?.namespace ?? null,
    dispatcher: async () => {
      await fresh();
      return agent;
    },
    headers: async () => {
      await fresh();
      return identity.headers;
    },
    refused: () => {
      identity = { ...identity, askedAt: -Infinity };
    },
    close: () => agent.destroy(),
  };
}

interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly material: Parameters<typeof openAgent>[0];
  readonly askedAt: number;
}

function same(a: string | Buffer | undefined, b: string | Buffer | undefined): boolean {
  return String(a ?? '') === String(b ?? '');
}
