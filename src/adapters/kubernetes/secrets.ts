import { isFault } from '../../cluster/index.ts';
import { MANAGER, type KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject } from './resources.ts';

/** HeldSecret is a Secret of the operator's own namespace. */
export interface HeldSecret {
  readonly data: ReadonlyMap<string, Buffer>;
  /** No write changes it: the API server refuses that. */
  readonly type: string;
  readonly version: string;
}

/** Secrets keeps Secrets of one namespace by name; the role names each of them. */
export interface Secrets {
  read(name: string): Promise<HeldSecret | null>;
  /**
   * Writes the data of one if it still has this version (null: if it is not there); null when another writer was first.
   */
  write(
    name: string,
    type: string,
    data: ReadonlyMap<string, Uint8Array>,
    version: string | null,
  ): Promise<HeldSecret | null>;
}

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** clusterSecrets keeps Secrets of a namespace. What they hold is never told in an error. */
export function clusterSecrets(api: KubernetesApi, namespace: string): Secrets {
  const resource = RESOURCES.secrets;
  return {
    async read(name) {
      const path = pathOf(resource, { namespace, name });
      const secret = await api.find<Secret>({ method: 'GET', path, what: `the Secret ${namespace}/${name}` });
      return secret === null ? null : toHeld(secret);
    },
    async write(name, type, data, version) {
      const body = {
        apiVersion: resource.apiVersion,
        kind: resource.kind,
        metadata: {
          name,
          namespace,
          labels: { 'app.kubernetes.io/managed-by': MANAGER },
          ...(version !== null && { resourceVersion: version }),
        },
        type,
        data: Object.fromEntries(
          [...data].map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      };
      try {
        return toHeld(
          await api.call<Secret>({
            method: version === null ? 'POST' : 'PUT',
            path: pathOf(resource, version === null ? { namespace } : { namespace, name }),
            query: { fieldManager: MANAGER },
            body,
            what: `the Secret ${namespace}/${name}`,
          }),
        );
      } catch (error) {
        if (isFault(error, 'conflict') || isFault(error, 'not_found')) return null;
        throw error;
      }
    },
  };
}

function toHeld({ metadata, type = 'Opaque', data = {} }: Secret): HeldSecret {
  return {
    type,
    version: metadata?.resourceVersion ?? '',
    data: new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')])),
  };
}
