/** Verb is what the role of the chart allows to one kind of object. */
export interface Verb {
  readonly group: string;
  /** With its subresource: `imagepolicies/status`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Whether it is allowed in the namespace of the service only. */
  readonly own?: boolean;
  /** Which object it is allowed for only. */
  readonly named?: 'lease' | 'webhook' | 'secret';
}

const READ = ['get', 'list', 'watch'];

/** REQUIRED_VERBS are those of the chart's roles without its options; a test holds them equal. */
export const REQUIRED_VERBS: readonly Verb[] = [
  ...['namespaces', 'nodes', 'pods', 'services'].map((resource) => ({ group: '', resource, verbs: READ })),
  { group: 'networking.k8s.io', resource: 'ingresses', verbs: READ },
  { group: 'apps', resource: 'replicasets', verbs: READ },
  { group: 'batch', resource: 'jobs', verbs: READ },
  ...['imagepolicies', 'runtimepolicies'].map((resource) => ({
    group: 'ipo.dev',
    resource,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  })),
  { group: 'ipo.dev', resource: 'clusterimagereports', verbs: ['create', 'delete', 'get', 'list', 'patch'] },
  ...['clusterimagereports/status', 'imagepolicies/status', 'runtimepolicies/status'].map((resource) => ({
    group: 'ipo.dev',
    resource,
    verbs: ['patch'],
  })),
  { group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch'] },
  {
    group: 'admissionregistration.k8s.io',
    resource: 'validatingwebhookconfigurations',
    verbs: ['get', 'patch'],
    named: 'webhook',
  },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['create'], own: true },
  {
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'patch', 'update'],
    own: true,
    named: 'lease',
  },
  { group: '', resource: 'secrets', verbs: ['create'], own: true },
  { group: '', resource: 'secrets', verbs: ['get', 'update'], own: true, named: 'secret' },
];

/** ENFORCE_VERBS are those of the chart's role for `rbac.allowEnforce`. */
export const ENFORCE_VERBS: readonly Verb[] = [
  { group: '', resource: 'pods', verbs: ['delete'] },
  ...['daemonsets', 'statefulsets'].map((resource) => ({ group: 'apps', resource, verbs: ['get'] })),
  { group: '', resource: 'replicationcontrollers', verbs: ['get'] },
];
