import * as z from 'zod/mini';
import { parseTime, printable, type Digest } from '../base/index.ts';
import {
  digestOfImageId,
  ingressObject,
  podSpec,
  serviceObject,
  toIngressRoute,
  toServiceRoute,
  type IngressRoute,
  type PodSpec,
  type ServiceRoute,
} from '../pods/index.ts';
import { RecordingError } from './recording-error.ts';

/** ListedPod is a pod of a list. */
export interface ListedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly labels: ReadonlyMap<string, string>;
  readonly spec: PodSpec;
  /** What runs, by role and container; empty before it was pulled. */
  readonly digests: ReadonlyMap<string, Digest>;
}

/** ClusterObjects is what lists of a cluster hold that matters here. */
export interface ClusterObjects {
  readonly pods: ListedPod[];
  readonly services: ServiceRoute[];
  readonly ingresses: IngressRoute[];
  /** Reports of trivy-operator, as they are. */
  readonly reports: unknown[];
  /** Kinds that lists were of, so that none is known from one that was not asked for. */
  readonly kinds: Set<string>;
  /** Whether a list says that it goes on elsewhere. */
  cut: boolean;
  /** Objects that cannot be read, with why. */
  readonly unreadable: string[];
}

/** emptyObjects begins a collection. */
export function emptyObjects(): ClusterObjects {
  return { pods: [], services: [], ingresses: [], reports: [], kinds: new Set(), cut: false, unreadable: [] };
}

const statuses = z.nullish(
  z.array(z.object({ name: z.nullish(z.string()), imageID: z.nullish(z.string()) })),
);
const labels = z.nullish(z.record(z.string(), z.nullish(z.string())));

const podObject = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.nullish(z.string()),
    uid: z.nullish(z.string()),
    creationTimestamp: z.nullish(z.string()),
    labels,
  }),
  spec: podSpec,
  status: z.nullish(
    z.object({
      initContainerStatuses: statuses,
      containerStatuses: statuses,
      ephemeralContainerStatuses: statuses,
    }),
  ),
});

type Json = Readonly<Record<string, unknown>>;

/**
 * readObjects takes what `kubectl get … -o json` writes: a list of any kinds, a list of one, or an object. Kinds that
 * do not matter here are passed over. Throws RecordingError for what is none of these.
 */
export function readObjects(value: unknown, file: string, into: ClusterObjects): void {
  if (!isObject(value) || typeof value['kind'] !== 'string')
    throw new RecordingError('format', 'this is not what kubectl get -o json writes', { file }, HOW);
  const { kind, items, metadata } = value;
  if (!kind.endsWith('List')) {
    takeObject(value, kind, into);
    return;
  }
  if (!Array.isArray(items))
    throw new RecordingError('format', `the ${printable(kind, 60)} has no items`, { file }, HOW);
  if (isObject(metadata) && typeof metadata['continue'] === 'string' && metadata['continue'] !== '')
    into.cut = true;
  const of = kind === 'List' ? null : kind.slice(0, -'List'.length);
  if (of !== null) into.kinds.add(of);
  for (const item of items as unknown[]) {
    const own = isObject(item) && typeof item['kind'] === 'string' ? item['kind'] : of;
    if (isObject(item) && own !== null) takeObject(item, own, into);
    else into.unreadable.push('an item is not an object');
  }
}

const HOW = 'Write one with: kubectl get pods,services,ingresses -A -o json > cluster.json';

function takeObject(value: Json, kind: string, into: ClusterObjects): void {
  into.kinds.add(kind);
  switch (kind) {
    case 'Pod': {
      const pod = toPod(value);
      if (pod === null) into.unreadable.push(nameOf(value, kind));
      else into.pods.push(pod);
      return;
    }
    case 'Service': {
      const read = serviceObject.safeParse(value);
      if (read.success)
        into.services.push(toServiceRoute(read.data, read.data.metadata?.namespace ?? 'default'));
      else into.unreadable.push(nameOf(value, kind));
      return;
    }
    case 'Ingress': {
      const read = ingressObject.safeParse(value);
      if (read.success)
        into.ingresses.push(toIngressRoute(read.data, read.data.metadata?.namespace ?? 'default'));
      else into.unreadable.push(nameOf(value, kind));
      return;
    }
    case 'VulnerabilityReport':
      into.reports.push(value);
  }
}

function toPod(value: Json): ListedPod | null {
  const read = podObject.safeParse(value);
  if (!read.success) return null;
  const { metadata, spec, status } = read.data;
  const createdAt = parseTime(metadata.creationTimestamp ?? '');
  if (Number.isNaN(createdAt)) return null;
  const digests = new Map<string, Digest>();
  const lists = [
    ['init', status?.initContainerStatuses],
    ['main', status?.containerStatuses],
    ['ephemeral', status?.ephemeralContainerStatuses],
  ] as const;
  for (const [role, list] of lists)
    for (const { name, imageID } of list ?? []) {
      const digest = digestOfImageId(imageID ?? '');
      if (digest !== null) digests.set(`${role} ${name ?? ''}`, digest);
    }
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    uid: metadata.uid ?? null,
    createdAt,
    spec,
    digests,
    labels: new Map(Object.entries(metadata.labels ?? {}).map(([key, label]) => [key, label ?? ''])),
  };
}

function nameOf({ metadata }: Json, kind: string): string {
  const { namespace, name } = isObject(metadata) ? metadata : {};
  const shown = [namespace, name].filter((part) => typeof part === 'string').join('/');
  return printable(`${kind} ${shown}`, 300);
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
