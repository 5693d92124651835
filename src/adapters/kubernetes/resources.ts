/** Resource is a kind of object, and where the API server keeps it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const resource = (apiVersion: string, kind: string, plural: string, namespaced = true): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced,
});

/** RESOURCES are the kinds that the operator reads and writes; its role in the chart names the same. */
export const RESOURCES = {
  imagePolicies: resource('ipo.dev/v1', 'ImagePolicy', 'imagepolicies', false),
  runtimePolicies: resource('ipo.dev/v1', 'RuntimePolicy', 'runtimepolicies', false),
  imageReports: resource('ipo.dev/v1', 'ClusterImageReport', 'clusterimagereports', false),
  pods: resource('v1', 'Pod', 'pods'),
  namespaces: resource('v1', 'Namespace', 'namespaces', false),
  nodes: resource('v1', 'Node', 'nodes', false),
  services: resource('v1', 'Service', 'services'),
  secrets: resource('v1', 'Secret', 'secrets'),
  ingresses: resource('networking.k8s.io/v1', 'Ingress', 'ingresses'),
  replicaSets: resource('apps/v1', 'ReplicaSet', 'replicasets'),
  jobs: resource('batch/v1', 'Job', 'jobs'),
  leases: resource('coordination.k8s.io/v1', 'Lease', 'leases'),
  events: resource('events.k8s.io/v1', 'Event', 'events'),
  webhooks: resource(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    false,
  ),
  openReports: resource('openreports.io/v1alpha1', 'Report', 'reports'),
  policyReports: resource('wgpolicyk8s.io/v1alpha2', 'PolicyReport', 'policyreports'),
} as const satisfies Readonly<Record<string, Resource>>;

/** pathOf gives the path of a resource, or of one object of it; without a namespace that of all of them. */
export function pathOf(
  { apiVersion, plural }: Resource,
  place: { readonly namespace?: string | undefined; readonly name?: string } = {},
): string {
  const { namespace, name } = place;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${inside}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

/** ObjectMeta is what is used of the metadata of any object. */
export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly { readonly time?: string; readonly subresource?: string }[];
  readonly ownerReferences?: readonly {
    readonly apiVersion?: string;
    readonly kind: string;
    readonly name: string;
    readonly controller?: boolean;
  }[];
}

/** KubeObject is any object. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** KubeList is a page of a list. */
export interface KubeList<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[];
}
