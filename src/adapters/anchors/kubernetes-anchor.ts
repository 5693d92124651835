import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Anchor } from '../../ledger/index.ts';
import { AnchorError } from './anchor-error.ts';
import { send, type Answered } from './send.ts';

/** KubernetesAnchorOptions say which ConfigMap is kept; what is absent is that of the pod. */
export interface KubernetesAnchorOptions {
  /** Name of the ConfigMap. */
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Address of the API server; in a pod `https://kubernetes.default.svc`, as its environment names it. */
  readonly apiServer?: string | undefined;
  /** Directory with the service account's `token`, `ca.crt` and `namespace`. */
  readonly account?: string | undefined;
}

/** NAME is what Kubernetes takes as the name of a ConfigMap, or of a namespace. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const MANAGER = 'ipo-ledger';

/**
 * kubernetesAnchor keeps the newest checkpoint in a ConfigMap (keys `checkpoint` and `size`) by server-side apply, so that it can
 * be watched and copied by who has no access to the database. An older checkpoint never replaces a newer one.
 */
export function kubernetesAnchor(options: KubernetesAnchorOptions): Anchor {
  const { name, account = ACCOUNT } = options;
  if (!NAME.test(name))
    throw new AnchorError('usage', 'the name of the ConfigMap is none that Kubernetes takes');
  return {
    name: `configmap:${options.namespace ?? ''}/${name}`,
    async publish({ note, size }) {
      const [token, ca] = await Promise.all([readAccount(account, 'token'), readAccount(account, 'ca.crt')]);
      const namespace = options.namespace ?? (await readAccount(account, 'namespace'));
      if (!NAME.test(namespace)) throw new AnchorError('usage', 'the namespace of the ConfigMap is none');
      const server = options.apiServer ?? serverOfPod();
      const url = new URL(`/api/v1/namespaces/${namespace}/configmaps/${name}`, server);
      if (url.protocol !== 'https:')
        throw new AnchorError('usage', 'the API server is called over https alone');
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'ipo' };
      const what = `the ConfigMap ${namespace}/${name}`;

      const before = await send({ method: 'GET', url, headers, ca });
      if (before.status !== 200 && before.status !== 404) throw refused(before, what, 'read');
      const known = before.status === 200 ? parseConfigMap(before.text, what) : null;
      if (known !== null && known.size >= size) return;
      url.searchParams.set('fieldManager', MANAGER);
      url.searchParams.set('force', 'true');
      const answer = await send({
        method: 'PATCH',
        url,
        headers: { ...headers, 'content-type': 'application/apply-patch+yaml' },
        body: JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          // What was read must still stand there: two replicas may tell at once.
          metadata: { name, namespace, ...(known === null ? {} : { resourceVersion: known.version }) },
          data: { checkpoint: note, size: String(size) },
        }),
        ca,
      });
      if (answer.status !== 200 && answer.status !== 201) throw refused(answer, what, 'written');
    },
  };
}

function serverOfPod(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host === undefined || host === '') {
    throw new AnchorError('usage', 'this is no pod: KUBERNETES_SERVICE_HOST is not set', {
      hint: 'Leave the ConfigMap out of the anchors outside of a cluster',
    });
  }
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Read each time: the token is renewed by the hour. */
async function readAccount(directory: string, file: string): Promise<string> {
  const path = join(directory, file);
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new AnchorError('usage', `${path} cannot be read, which a pod with a service account has`, {
      hint: 'Let the pod mount its service account (automountServiceAccountToken)',
      cause,
    });
  }
}

function parseConfigMap(text: string, what: string): { readonly size: number; readonly version: string } {
  try {
    const { metadata, data } = JSON.parse(text) as {
      metadata: { resourceVersion: string };
      data?: Readonly<Record<string, string>>;
    };
    const size = /^[0-9]{1,15}$/.test(data?.['size'] ?? '') ? Number(data?.['size']) : 0;
    return { size, version: metadata.resourceVersion };
  } catch (cause) {
    throw new AnchorError('network', `${what}: the API server answers with something else`, { cause });
  }
}

function refused({ status, text }: Answered, what: string, done: string): AnchorError {
  if (status === 401 || status === 403) {
    return new AnchorError('forbidden', `${what} may not be ${done} (status ${status})`, {
      hint: 'Let the service account get, create and patch this ConfigMap',
    });
  }
  let reason = '';
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') reason = `: ${message.slice(0, 200)}`;
  } catch {
    // The status says enough.
  }
  return new AnchorError('network', `${what} was not ${done} (status ${status})${reason}`);
}
