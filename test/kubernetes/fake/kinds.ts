/** Kind is a kind of object that the fake API server serves. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
}

const kind = (api: string, name: string, plural: string, { cluster = false, status = false } = {}): Kind => {
  const [group = '', version = ''] = api.includes('/') ? api.split('/') : ['', api];
  return { group, version, kind: name, plural, namespaced: !cluster, hasStatus: status };
};

/** BUILT_IN are the kinds of a cluster that are in use here. */
export const BUILT_IN: readonly Kind[] = [
  kind('v1', 'Namespace', 'namespaces', { cluster: true, status: true }),
  kind('v1', 'Node', 'nodes', { cluster: true, status: true }),
  kind('v1', 'Pod', 'pods', { status: true }),
  kind('v1', 'Service', 'services', { status: true }),
  kind('v1', 'Secret', 'secrets'),
  kind('v1', 'ConfigMap', 'configmaps'),
  kind('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { status: true }),
  kind('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  kind('v1', 'ReplicationController', 'replicationcontrollers', { status: true }),
  kind('apps/v1', 'Deployment', 'deployments', { status: true }),
  kind('apps/v1', 'ReplicaSet', 'replicasets', { status: true }),
  kind('apps/v1', 'StatefulSet', 'statefulsets', { status: true }),
  kind('apps/v1', 'DaemonSet', 'daemonsets', { status: true }),
  kind('batch/v1', 'Job', 'jobs', { status: true }),
  kind('networking.k8s.io/v1', 'Ingress', 'ingresses', { status: true }),
  kind('coordination.k8s.io/v1', 'Lease', 'leases'),
  kind('events.k8s.io/v1', 'Event', 'events'),
  kind(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    {
      cluster: true,
    },
  ),
  kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
    cluster: true,
    status: true,
  }),
];

/** Place is what a path names. */
export interface Place {
  readonly kind: Kind;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
}

/** parsePath reads a path of the API; null where nothing is served. */
export function parsePath(path: string, kinds: readonly Kind[]): Place | null {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  const [group, version, ...more] = root === 'api' ? ['', ...rest] : root === 'apis' ? rest : [];
  if (group === undefined || version === undefined) return null;
  // A namespace is an object too: `/api/v1/namespaces/NAME`.
  const inside = more[0] === 'namespaces' && more.length >= 3;
  const [plural, name = null, subresource = null] = inside ? more.slice(2) : more;
  const kind = kinds.find((one) => one.group === group && one.version === version && one.plural === plural);
  if (kind === undefined || (inside && !kind.namespaced)) return null;
  return { kind, namespace: inside ? (more[1] ?? null) : null, name, subresource };
}

/** apiVersionOf gives the `apiVersion` of a kind. */
export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`;
}
