import { isDigest, type Digest } from '../base/index.ts';
import type { DetectorEvent } from './event.ts';

/** KnownPod is a pod that runs, or ran a moment ago. */
export interface KnownPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `deployment/checkout`. */
  readonly workload: string;
  readonly containers: readonly {
    readonly name: string;
    /** As the pod writes it. */
    readonly image: string;
    readonly digest: Digest | null;
    /** Without the runtime's scheme; null while it is not known. */
    readonly id: string | null;
  }[];
}

/** PodsNow finds pods by what events name. */
export interface PodsNow {
  byUid(uid: string): KnownPod | null;
  byName(namespace: string, name: string): KnownPod | null;
  /** By the id of a container or the 12 digits that it begins with. */
  byContainer(id: string): KnownPod | null;
  /** The image of a container that runs this digest, or null where none does. */
  imageOf(digest: Digest): string | null;
}

/** Joined is what an event is about; without a digest it stops nothing. */
export interface Joined {
  /** `field`: a digest that the event names and that runs; `pod`: what its pod runs. */
  readonly basis: 'field' | 'pod' | 'none';
  readonly digest: Digest | null;
  readonly image: string | null;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly podUid: string | null;
  readonly workload: string | null;
  readonly container: string | null;
}

/**
 * joinEvent finds the pod and the image of an event: by the uid of the pod that it names, else by namespace and name, else by the id of the
 * container. A uid that no pod has is not looked for by name: another pod may have that by now. Of pods that had one name the one counts that
 * had the container. A digest that the event names counts only where it runs, since a container engine may give the id of an image in its
 * place.
 */
export function joinEvent(event: Pick<DetectorEvent, 'fields'>, pods: PodsNow): Joined {
  const named = namesOf(event);
  const pod = findPod(named, pods);
  if (pod === null) return withoutPod(named, pods);
  const own = pod.containers.find(({ digest }) => digest !== null && digest === named.digest);
  const container = own ?? findContainer(named, pod);
  const digest = own?.digest ?? container?.digest ?? onlyDigest(pod);
  const from = own === undefined ? 'pod' : 'field';
  return {
    basis: digest === null ? 'none' : from,
    digest,
    image: container?.image ?? pod.containers.find((one) => one.digest === digest)?.image ?? named.image,
    namespace: pod.namespace,
    pod: pod.name,
    podUid: pod.uid,
    workload: pod.workload,
    container: container?.name ?? named.container,
  };
}

interface Named {
  readonly uid: string | null;
  readonly namespace: string | null;
  readonly pod: string | null;
  /** Name of the container, as the engine gives it. */
  readonly container: string | null;
  readonly id: string | null;
  readonly digest: Digest | null;
  readonly image: string | null;
}

function namesOf({ fields }: Pick<DetectorEvent, 'fields'>): Named {
  const text = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = fields.get(name);
      if (value !== undefined && value !== null && value !== '') return value;
    }
    return null;
  };
  const audited = text('ka.target.resource') === 'pods';
  const id = text('container.full_id', 'container.id');
  const repository = text('container.image.repository');
  const tag = text('container.image.tag');
  return {
    uid: text('k8s.pod.uid', 'k8s.pod.id'),
    namespace: text('k8s.ns.name') ?? text('ka.target.namespace'),
    pod: text('k8s.pod.name') ?? (audited ? text('ka.target.name') : null),
    container: text('container.name'),
    id: id === 'host' ? null : id,
    digest: digestIn(text('container.image.digest')),
    image: repository === null ? text('container.image') : withTag(repository, tag),
  };
}

/** A digest, by itself or after a repository. */
function digestIn(text: string | null): Digest | null {
  const digest = text?.slice(text.lastIndexOf('@') + 1) ?? '';
  return isDigest(digest) ? digest : null;
}

function findPod({ uid, namespace, pod, id }: Named, pods: PodsNow): KnownPod | null {
  if (uid !== null) return pods.byUid(uid);
  const byName = namespace !== null && pod !== null ? pods.byName(namespace, pod) : null;
  const byContainer = id !== null && id.length >= 12 ? pods.byContainer(id) : null;
  // A late event may be about the pod that had the name before.
  const isNamesake = byContainer?.namespace === namespace && byContainer?.name === pod;
  return byName === null || isNamesake ? byContainer : byName;
}

function findContainer({ id, container }: Named, { containers }: KnownPod) {
  if (id !== null && id.length >= 12) {
    const byId = containers.find((one) => one.id !== null && one.id.startsWith(id));
    if (byId !== undefined) return byId;
  }
  // Docker writes `k8s_<container>_<pod>_<namespace>_…`.
  const byName = containers.find(
    ({ name }) => container === name || container?.startsWith(`k8s_${name}_`) === true,
  );
  return byName ?? (containers.length === 1 ? containers[0] : undefined);
}

function onlyDigest({ containers }: KnownPod): Digest | null {
  const digests = new Set(containers.map(({ digest }) => digest));
  const [only = null] = digests;
  return digests.size === 1 ? only : null;
}

function withoutPod({ namespace, pod, container, digest, image }: Named, pods: PodsNow): Joined {
  const running = digest === null ? null : pods.imageOf(digest);
  return {
    basis: running === null ? 'none' : 'field',
    digest: running === null ? null : digest,
    image: running ?? image,
    namespace,
    pod,
    podUid: null,
    workload: null,
    container,
  };
}

/** withTag gives the name of an image whose tag may not be known. */
export function withTag(repository: string, tag: string | null): string {
  return tag === null ? repository : `${repository}:${tag}`;
}
