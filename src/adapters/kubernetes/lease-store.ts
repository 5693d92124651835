import type { V1Lease } from '@kubernetes/client-node';
import { ClusterError, isFault } from '../../cluster/index.ts';
import { type LeaseRecord, type LeaseStore, type StoredLease } from '../../leadership/index.ts';
import type { KubernetesApi } from './api.ts';
import { pathOf, RESOURCES } from './resources.ts';

/** As JSON has it: the typed model of the client library gives times as Date. */
type Lease = Omit<V1Lease, 'spec' | 'metadata'> & {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Omit<NonNullable<V1Lease['spec']>, 'acquireTime' | 'renewTime'> & {
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
  };
};

/**
 * leaseStore keeps a Lease of the cluster. Every write is a compare-and-set on its uid and resourceVersion: with only the version, an API
 * server would recreate a Lease that was deleted meanwhile.
 */
export function leaseStore(api: KubernetesApi, namespace: string, name: string): LeaseStore {
  const what = `the Lease ${namespace}/${name}`;
  const one = pathOf(RESOURCES.leases, { namespace, name });
  const all = pathOf(RESOURCES.leases, { namespace });
  const body = (lease: LeaseRecord, standing: Lease['metadata'] = {}): Lease => ({
    apiVersion: RESOURCES.leases.apiVersion,
    kind: RESOURCES.leases.kind,
    metadata: { name, namespace, ...standing },
    spec: {
      holderIdentity: lease.holder,
      leaseDurationSeconds: lease.durationSeconds,
      ...(lease.acquiredAt !== null && { acquireTime: lease.acquiredAt }),
      ...(lease.renewedAt !== null && { renewTime: lease.renewedAt }),
      leaseTransitions: lease.transitions,
    },
  });
  /** The annotations of the version that was seen last: a write against it keeps what others noted there. */
  let noted: { readonly version: string; readonly annotations: Readonly<Record<string, string>> } | null =
    null;
  const see = (lease: Lease): StoredLease => {
    const stored = toStored(lease, what);
    noted = { version: stored.version, annotations: lease.metadata?.annotations ?? {} };
    return stored;
  };
  /** Somebody else wrote, or deleted it. */
  const unlessMet = async (written: Promise<Lease>): Promise<StoredLease | null> => {
    try {
      return see(await written);
    } catch (error) {
      if (isFault(error, 'conflict') || isFault(error, 'not_found')) return null;
      throw error;
    }
  };
  return {
    async read(timeoutMs) {
      const lease = await api.find<Lease>({ method: 'GET', path: one, what, timeoutMs });
      return lease === null ? null : see(lease);
    },
    create: async (lease, timeoutMs) => {
      try {
        return see(await api.call<Lease>({ method: 'POST', path: all, body: body(lease), what, timeoutMs }));
      } catch (error) {
        if (isFault(error, 'conflict')) return null;
        throw error;
      }
    },
    replace: (lease, version, timeoutMs) => {
      const [uid = '', resourceVersion = ''] = version.split(' ');
      const annotations = noted?.version === version ? noted.annotations : {};
      const kept = Object.keys(annotations).length === 0 ? {} : { annotations };
      const standing = body(lease, { uid, resourceVersion, ...kept });
      return unlessMet(api.call<Lease>({ method: 'PUT', path: one, body: standing, what, timeoutMs }));
    },
  };
}

function toStored({ metadata, spec = {} }: Lease, what: string): StoredLease {
  const { uid = '', resourceVersion = '' } = metadata ?? {};
  // Without them nothing could be compared.
  if (uid === '' || resourceVersion === '')
    throw new ClusterError('unreadable', `${what} has no uid or no resourceVersion`);
  return {
    version: `${uid} ${resourceVersion}`,
    holder: spec.holderIdentity ?? '',
    durationSeconds: spec.leaseDurationSeconds ?? 0,
    acquiredAt: spec.acquireTime ?? null,
    renewedAt: spec.renewTime ?? null,
    transitions: spec.leaseTransitions ?? 0,
  };
}
