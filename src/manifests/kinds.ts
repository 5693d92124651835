/** Where the template of a pod stands in each kind that makes pods, by `group/kind`; a Pod is its own. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  '/Pod': [],
  '/PodTemplate': ['template'],
  '/ReplicationController': ['spec', 'template'],
  'apps/Deployment': ['spec', 'template'],
  'apps/ReplicaSet': ['spec', 'template'],
  'apps/StatefulSet': ['spec', 'template'],
  'apps/DaemonSet': ['spec', 'template'],
  'extensions/Deployment': ['spec', 'template'],
  'extensions/ReplicaSet': ['spec', 'template'],
  'extensions/DaemonSet': ['spec', 'template'],
  'batch/Job': ['spec', 'template'],
  'batch/CronJob': ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Groups of Kubernetes itself whose kinds make no pods and lead to none. */
const SILENT_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'ipo.dev',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);
const SILENT_CORE: ReadonlySet<string> = new Set([
  'Binding',
  'ConfigMap',
  'Endpoints',
  'Event',
  'LimitRange',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ResourceQuota',
  'Secret',
  'ServiceAccount',
]);

/** ObjectKind says what an object is to a check. */
export type ObjectKind =
  | { readonly is: 'workload'; readonly template: readonly string[] }
  | { readonly is: 'service' | 'ingress' | 'review' | 'silent' | 'unknown' }
  | { readonly is: 'list'; readonly of: string | null };

/** kindOf classifies an object by its apiVersion and kind; a kind of another group is another kind. */
export function kindOf(apiVersion: string, kind: string): ObjectKind {
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  if (group === '' && kind === 'List') return { is: 'list', of: null };
  const own = singleKindOf(group, kind);
  // What the API server answers to a list request: PodList, DeploymentList and so on. There are no lists of lists.
  if (own.is !== 'unknown' || !kind.endsWith('List')) return own;
  const of = kind.slice(0, -'List'.length);
  return singleKindOf(group, of).is === 'unknown' ? own : { is: 'list', of };
}

function singleKindOf(group: string, kind: string): ObjectKind {
  const name = `${group}/${kind}`;
  if (Object.hasOwn(TEMPLATES, name)) return { is: 'workload', template: TEMPLATES[name] ?? [] };
  if (name === '/Service') return { is: 'service' };
  if (name === 'networking.k8s.io/Ingress' || name === 'extensions/Ingress') return { is: 'ingress' };
  if (name === 'admission.k8s.io/AdmissionReview') return { is: 'review' };
  if (
    SILENT_GROUPS.has(group) ||
    (group === '' && SILENT_CORE.has(kind)) ||
    name === 'apps/ControllerRevision'
  )
    return { is: 'silent' };
  return { is: 'unknown' };
}

/**
 * makesPods tells whether a list of containers with images stands somewhere in an object of an unknown kind: it is then
 * likely to make pods.
 */
export function makesPods(root: unknown): boolean {
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== 'object' || seen.has(value)) continue;
    seen.add(value);
    for (const [key, below] of Object.entries(value)) {
      if (
        key === 'containers' &&
        Array.isArray(below) &&
        below.some((one: { image?: unknown } | null) => typeof one?.image === 'string')
      )
        return true;
      open.push(below ?? null);
    }
  }
  return false;
}
