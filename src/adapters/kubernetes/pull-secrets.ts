import { printable, Secret } from '../../base/index.ts';
import { ClusterError } from '../../cluster/index.ts';
import type { PodPullSecrets, PullingPod, PullSecret, PullSecrets } from '../../image/index.ts';
import type { KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject, type Resource } from './resources.ts';

/** Milliseconds for which a Secret, or that it cannot be read, is remembered; the kubelet does so for about a minute, too. */
const LIFE_MS = 60_000;
const MOST_REMEMBERED = 2000;
/** Milliseconds for one read. */
const READ_MS = 5_000;
/** Secrets of one pod that are looked at. */
const MOST_SECRETS = 16;

const SERVICE_ACCOUNTS: Resource = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The kinds of Secret that hold credentials for registries, with the key that holds them. */
const FORMS = {
  'kubernetes.io/dockerconfigjson': { key: '.dockerconfigjson', form: 'docker_config' },
  'kubernetes.io/dockercfg': { key: '.dockercfg', form: 'dockercfg' },
} as const;

interface StoredSecret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

interface ServiceAccount extends KubeObject {
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
}

interface PodWithSecrets extends KubeObject {
  readonly spec?: {
    readonly imagePullSecrets?: readonly { readonly name?: string }[];
    readonly serviceAccountName?: string;
  };
}

type Read<T> = { readonly value: T } | { readonly fault: string };

/** PullSecretsDeps are what pull secrets are read with. */
export interface PullSecretsDeps {
  readonly api: Pick<KubernetesApi, 'find'>;
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic: () => number;
}

/**
 * clusterPullSecrets reads the pull secrets of pods: `get` on the Secrets that they name, and on the ServiceAccount of one that names
 * none. Nothing is listed or watched, so that a role can name the Secrets. What is asked for twice at once is read once.
 */
export function clusterPullSecrets({ api, monotonic }: PullSecretsDeps): PullSecrets {
  const remembered = new Map<string, { readonly until: number; readonly read: Promise<Read<unknown>> }>();

  /** Never rejects. */
  async function once<T>(key: string, read: () => Promise<Read<T>>): Promise<Read<T>> {
    const now = monotonic();
    const known = remembered.get(key);
    if (known !== undefined && known.until > now) return (await known.read) as Read<T>;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const reading = read();
    remembered.set(key, { until: now + LIFE_MS, read: reading });
    return reading;
  }

  async function find<T>(resource: Resource, namespace: string, name: string): Promise<Read<T>> {
    const what = `the ${resource.kind} ${namespace}/${name}`;
    try {
      const path = pathOf(resource, { namespace, name });
      const found = await api.find<T>({ method: 'GET', path, what, timeoutMs: READ_MS });
      return found === null ? { fault: `${what} is not there` } : { value: found };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      const why =
        error.fault === 'forbidden' ? 'may not be read by the operator' : `cannot be read (${error.fault})`;
      return { fault: `${what} ${why}` };
    }
  }

  async function secretOf(namespace: string, name: string): Promise<Read<PullSecret>> {
    const read = await find<StoredSecret>(RESOURCES.secrets, namespace, name);
    if ('fault' in read) return read;
    const { type = 'Opaque', data = {} } = read.value;
    const form = Object.hasOwn(FORMS, type) ? FORMS[type as keyof typeof FORMS] : null;
    const document = form === null ? undefined : data[form.key];
    if (form === null || typeof document !== 'string')
      return { fault: `the Secret ${namespace}/${name} holds no credentials for registries` };
    const text = Buffer.from(document, 'base64').toString('utf8');
    return { value: { name: `${namespace}/${name}`, form: form.form, document: new Secret(text) } };
  }

  async function namesOf({
    namespace,
    pullSecrets,
    serviceAccount,
  }: PullingPod): Promise<Read<readonly string[]>> {
    if (pullSecrets.length > 0 || serviceAccount === null) return { value: pullSecrets };
    if (!NAME.test(serviceAccount))
      return { fault: `${printable(serviceAccount, 60)} is not the name of a ServiceAccount` };
    const read = await once(`account ${namespace}/${serviceAccount}`, () =>
      find<ServiceAccount>(SERVICE_ACCOUNTS, namespace, serviceAccount),
    );
    if ('fault' in read) return read;
    return {
      value: namesIn(read.value.imagePullSecrets),
    };
  }

  return {
    async of(pod): Promise<PodPullSecrets> {
      const names = await namesOf(pod);
      if ('fault' in names) return { secrets: [], faults: [names.fault] };
      const wanted = [...new Set(names.value)].slice(0, MOST_SECRETS);
      const read = await Promise.all(
        wanted.map((name): Promise<Read<PullSecret>> =>
          NAME.test(name) && NAME.test(pod.namespace)
            ? once(`secret ${pod.namespace}/${name}`, () => secretOf(pod.namespace, name))
            : Promise.resolve({ fault: `${printable(name, 60)} is not the name of a Secret` }),
        ),
      );
      return {
        secrets: read.flatMap((one) => ('value' in one ? [one.value] : [])),
        faults: read.flatMap((one) => ('fault' in one ? [one.fault] : [])),
      };
    },
  };
}

/** readPullingPod reads which pull secrets a pod names; null for one that is not there. Throws ClusterError. */
export async function readPullingPod(
  api: Pick<KubernetesApi, 'find'>,
  namespace: string,
  name: string,
): Promise<PullingPod | null> {
  const path = pathOf(RESOURCES.pods, { namespace, name });
  const what = `the Pod ${namespace}/${name}`;
  const pod = await api.find<PodWithSecrets>({ method: 'GET', path, what, timeoutMs: READ_MS });
  if (pod === null) return null;
  const { imagePullSecrets, serviceAccountName = 'default' } = pod.spec ?? {};
  return { namespace, pullSecrets: namesIn(imagePullSecrets), serviceAccount: serviceAccountName };
}

function namesIn(list: readonly { readonly name?: string }[] | undefined): string[] {
  return (list ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]));
}
