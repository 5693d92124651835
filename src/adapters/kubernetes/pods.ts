import { BREAK_GLASS, digestOfImageId, podImagesOf, podSpec } from '../../pods/index.ts';
import { parseTime, type Digest } from '../../base/index.ts';
import type { PodController, RunningContainer, RunningPod } from '../../reconcile/index.ts';
import type { KubeObject } from './resources.ts';

interface Pod extends KubeObject {
  readonly spec?: unknown;
  readonly status?: {
    readonly phase?: string;
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name?: string;
  readonly imageID?: string;
  /** `containerd://…`. */
  readonly containerID?: string;
}

/** OwnerOf tells what controls a ReplicaSet or Job, by its key `namespace/name`, where that is known. */
export type OwnerOf = (kind: string, key: string) => { readonly kind: string; readonly name: string } | null;

const MIRROR = 'kubernetes.io/config.mirror';

/** HeldPod is a pod as an informer keeps it: everything but the highest owner, which is looked up when it is asked for. */
export type HeldPod = Omit<RunningPod, 'workload'>;

/** toHeldPod gives what is kept of a pod; null for one that cannot be read. */
export function toHeldPod(object: KubeObject): HeldPod | null {
  const { metadata = {}, status = {}, spec } = object as Pod;
  const { name, namespace, uid } = metadata;
  if (name === undefined || namespace === undefined || uid === undefined) return null;
  const read = podSpec.safeParse(spec ?? {});
  if (!read.success) return null;
  const statuses = statusesOf(status);
  return {
    namespace,
    name,
    uid,
    createdAt: parseTime(metadata.creationTimestamp ?? '') || 0,
    deleting: metadata.deletionTimestamp !== undefined,
    finished: status.phase === 'Succeeded' || status.phase === 'Failed',
    mirror: metadata.annotations?.[MIRROR] !== undefined,
    controller: controllerOf(object),
    labels: new Map(Object.entries(metadata.labels ?? {})),
    breakGlassReason: metadata.annotations?.[BREAK_GLASS] ?? null,
    spec: read.data,
    containers: podImagesOf(read.data).map(({ container, role, image }): RunningContainer => ({
      name: container,
      role,
      image,
      digest: statuses.get(`${role} ${container}`)?.digest ?? null,
      id: statuses.get(`${role} ${container}`)?.id ?? null,
    })),
  };
}

/** toRunningPod names the workload of a pod: the Deployment of a ReplicaSet and the CronJob of a Job where those are known. */
export function toRunningPod(pod: HeldPod, ownerOf: OwnerOf): RunningPod {
  const { controller, namespace, name } = pod;
  const owner =
    controller === null ? null : (ownerOf(controller.kind, `${namespace}/${controller.name}`) ?? controller);
  return { ...pod, workload: owner === null ? `pod/${name}` : `${owner.kind.toLowerCase()}/${owner.name}` };
}

/** controllerOf gives the owner that controls an object, or null. */
export function controllerOf({ metadata }: KubeObject): PodController | null {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return null;
  const { apiVersion = '', kind, name, uid = '' } = owner as typeof owner & { readonly uid?: string };
  return { apiVersion, kind, name, uid };
}

function statusesOf({
  initContainerStatuses,
  containerStatuses,
  ephemeralContainerStatuses,
}: NonNullable<Pod['status']>) {
  const found = new Map<string, { readonly digest: Digest | null; readonly id: string | null }>();
  const lists = [
    ['init', initContainerStatuses],
    ['main', containerStatuses],
    ['ephemeral', ephemeralContainerStatuses],
  ] as const;
  for (const [role, statuses] of lists)
    for (const { name = '', imageID = '', containerID = '' } of statuses ?? []) {
      const id = containerID.slice(containerID.indexOf('://') + (containerID.includes('://') ? 3 : 1));
      found.set(`${role} ${name}`, { digest: digestOfImageId(imageID), id: id === '' ? null : id });
    }
  return found;
}
