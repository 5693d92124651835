import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, type Dispatcher } from 'undici';
import { ClusterError } from '../../cluster/index.ts';
import type { Connection } from './connection.ts';

/** InClusterOptions say where a pod finds its cluster; tests give their own. */
export interface InClusterOptions {
  /** Directory with the service account's `token`, `ca.crt` and `namespace`. */
  readonly account?: string | undefined;
  /** Address of the API server; as the pod's environment names it unless given. */
  readonly server?: string | undefined;
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic?: () => number;
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The kubelet renews a token long before its end; client-go reads it once a minute too. */
const REREAD_MS = 60_000;
/** Milliseconds until a connection stands. */
const CONNECT_MS = 5_000;
/** The server sends bookmarks each minute; a watch that is silent for longer is dead, and asked for again. */
const SILENCE_MS = 120_000;

/**
 * openInCluster gives the connection of a pod. Token and authority are read again each minute, and at once when the server no longer
 * knows the token; a new authority gets new connections, and the old ones end when their calls do.
 */
export async function openInCluster(options: InClusterOptions = {}): Promise<Connection> {
  const { account = ACCOUNT, monotonic = () => performance.now() } = options;
  const server = (options.server ?? serverOfPod()).replace(/\/$/, '');
  if (!server.startsWith('https://'))
    throw new ClusterError('setup', 'the API server is called only over https');
  const namespace = await readAccount(account, 'namespace');
  let token = await readAccount(account, 'token');
  let ca = await readAccount(account, 'ca.crt');
  let readAt = monotonic();
  let agent = openAgent({ ca });
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const [newToken, newCa] = await Promise.all([
      readAccount(account, 'token'),
      readAccount(account, 'ca.crt'),
    ]);
    readAt = monotonic();
    token = newToken;
    if (newCa === ca) return;
    ca = newCa;
    const old = agent;
    agent = openAgent({ ca });
    void old.close().catch(() => undefined);
  };
  const fresh = async (): Promise<void> => {
    if (monotonic() - readAt < REREAD_MS) return;
    // A file that cannot be read this moment (it is being replaced) does not end what works.
    reading ??= read()
      .catch(() => {
        readAt = monotonic() - REREAD_MS + 1000;
      })
      .finally(() => {
        reading = null;
      });
    await reading;
  };
  return {
    server,
    namespace,
    dispatcher: async (): Promise<Dispatcher> => {
      await fresh();
      return agent;
    },
    headers: async () => {
      await fresh();
      return { authorization: `Bearer ${token}` };
    },
    refused: () => {
      readAt = -Infinity;
    },
    close: () => agent.destroy(),
  };
}

/** TlsMaterial is what connections are made with. */
export interface TlsMaterial {
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
  readonly servername?: string | undefined;
}

/** openAgent opens connections to an API server; calls set their own times, a watch ends when it is silent. */
export function openAgent({ ca, cert, key, rejectUnauthorized, servername }: TlsMaterial): Agent {
  return new Agent({
    connect: {
      timeout: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      ...(servername !== undefined && { servername }),
    },
    bodyTimeout: SILENCE_MS,
    headersTimeout: 60_000,
    // Each watch holds a connection of its own.
    connections: 64,
    pipelining: 1,
  });
}

function serverOfPod(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host === undefined || host === '')
    throw new ClusterError('setup', 'this is not a pod: KUBERNETES_SERVICE_HOST is not set', {
      hint: 'Run it in a cluster, or name a kubeconfig',
    });
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function readAccount(directory: string, file: string): Promise<string> {
  const path = join(directory, file);
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (text !== '') return text;
  } catch (cause) {
    throw new ClusterError('setup', `${path} cannot be read; a pod with a service account has this file`, {
      hint: 'Let the pod mount its service account (automountServiceAccountToken)',
      cause,
    });
  }
  throw new ClusterError('setup', `${path} is empty`, { hint: 'Look at the service account of the pod' });
}
