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
 * kubernetesAnchor keeps the newest checkpoint in a ConfigMap (keys `checkpoint` and `size`), so that it can be watched and copied by
 * anyone who has no access to the database. It is written by server-side apply over the version that was read, and never by force:
 * what another writer owns or changed meanwhile stays.
 */
export function kubernetesAnchor(options: KubernetesAnchorOptions): Anchor {
  const { name } = options;
  if (!NAME.test(name))
    throw new AnchorError('usage', 'the name of the ConfigMap is not valid in Kubernetes');
  return {
    name: `configmap:${options.namespace ?? ''}/${name}`,
    async read() {
      const { call, what } = await openMap(options);
      const answer = await call('GET');
      if (answer.status === 404) return { notes: [], version: null };
      if (answer.status !== 200) throw refused(answer, what, 'read');
      const { version, data } = parseConfigMap(answer.text, what);
      const { checkpoint, size } = data;
      // A size without a checkpoint was written by somebody: it is not a note, and is judged so.
      const note = checkpoint ?? size;
      return { notes: note === undefined ? [] : [note], version };
    },
    async publish({ note, size }, over) {
      const { call, what, namespace } = await openMap(options);
      const metadata = { name, namespace };
      let { version } = over;
      if (version === null) {
        // Made empty first: an apply to what is not there would be an update without a version if another replica made it meanwhile.
        const made = await call('POST', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
        if (made.status !== 201) throw refused(made, what, 'created');
        ({ version } = parseConfigMap(made.text, what));
      }
      const answer = await call('PATCH', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { ...metadata, resourceVersion: version },
        data: { checkpoint: note, size: String(size) },
      });
      if (answer.status !== 200) throw refused(answer, what, 'written');
    },
  };
}

interface OpenMap {
  /** `the ConfigMap NAMESPACE/NAME`. */
  readonly what: string;
  readonly namespace: string;
  call(method: 'GET' | 'POST' | 'PATCH', body?: object): Promise<Answered>;
}

/** Reads the account again for each round: the token is renewed by the hour. */
async function openMap({ name, account = ACCOUNT, ...options }: KubernetesAnchorOptions): Promise<OpenMap> {
  const [token, ca] = await Promise.all([readAccount(account, 'token'), readAccount(account, 'ca.crt')]);
  const namespace = options.namespace ?? (await readAccount(account, 'namespace'));
  if (!NAME.test(namespace)) throw new AnchorError('usage', 'the namespace of the ConfigMap is not valid');
  const server = options.apiServer ?? serverOfPod();
  const all = new URL(`/api/v1/namespaces/${namespace}/configmaps`, server);
  if (all.protocol !== 'https:') throw new AnchorError('usage', 'the API server is called only over https');
  return {
    what: `the ConfigMap ${namespace}/${name}`,
    namespace,
    call: (method, body) => {
      const url = new URL(method === 'POST' ? all.href : `${all.href}/${name}`);
      if (method !== 'GET') url.searchParams.set('fieldManager', MANAGER);
      const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
      return send({
        method,
        url,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': 'ipo',
          ...(body !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        connect: { ca },
      });
    },
  };
}

function serverOfPod(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host === undefined || host === '') {
    throw new AnchorError('usage', 'this is not a pod: KUBERNETES_SERVICE_HOST is not set', {
      hint: 'Leave the ConfigMap out of the anchors outside of a cluster',
    });
  }
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function readAccount(directory: string, file: string): Promise<string> {
  const path = join(directory, file);
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new AnchorError('usage', `${path} cannot be read; a pod with a service account has this file`, {
      hint: 'Let the pod mount its service account (automountServiceAccountToken)',
      cause,
    });
  }
}

function parseConfigMap(
  text: string,
  what: string,
): { readonly version: string; readonly data: Readonly<Record<string, string>> } {
  try {
    const { metadata, data } = JSON.parse(text) as {
      metadata: { resourceVersion: string };
      data?: Readonly<Record<string, string>>;
    };
    return { version: metadata.resourceVersion, data: data ?? {} };
  } catch (cause) {
    throw new AnchorError('network', `${what}: the answer of the API server cannot be read`, { cause });
  }
}

interface Status {
  readonly message?: unknown;
  readonly details?: { readonly causes?: readonly { readonly reason?: unknown }[] };
}

function refused({ status, text }: Answered, what: string, done: string): AnchorError {
  if (status === 401 || status === 403) {
    return new AnchorError('forbidden', `${what} may not be ${done} (status ${status})`, {
      hint: 'Let the service account get and patch this ConfigMap, and create one where it is missing',
    });
  }
  let reason = '';
  let isOwned = false;
  try {
    const { message, details } = JSON.parse(text) as Status;
    if (typeof message === 'string') reason = `: ${message.slice(0, 200)}`;
    isOwned = details?.causes?.some((cause) => cause.reason === 'FieldManagerConflict') === true;
  } catch {
    // The status says enough.
  }
  const sentence = `${what} was not ${done} (status ${status})${reason}`;
  if (!isOwned) return new AnchorError('network', sentence);
  return new AnchorError('conflict', sentence, {
    hint: 'Something else wrote the checkpoint last; keep a copy, then remove the data of the ConfigMap',
  });
}
