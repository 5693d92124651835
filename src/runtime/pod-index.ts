import type { Digest } from '../base/index.ts';
import type { KnownPod, PodsNow } from './join.ts';

/** So long a pod that is gone is still found: its last events come when it is. */
const KEPT_MS = 10 * 60_000;

/** PodIndex remembers the pods of a cluster, also those that are gone, for events that come later. */
export class PodIndex implements PodsNow {
  readonly #byUid = new Map<string, { readonly pod: KnownPod; seenAt: number }>();
  #byName = new Map<string, KnownPod>();
  #byContainer = new Map<string, KnownPod>();
  #images = new Map<Digest, string>();

  /** Takes over what runs now; what ran before is kept for ten minutes. */
  take(pods: readonly KnownPod[], at: number): void {
    for (const pod of pods) this.#byUid.set(pod.uid, { pod, seenAt: at });
    for (const [uid, { seenAt }] of this.#byUid)
      if (seenAt < at - KEPT_MS || seenAt > at + KEPT_MS) this.#byUid.delete(uid);
    this.#byName = new Map();
    this.#byContainer = new Map();
    this.#images = new Map();
    // The newest of one name last, so that it is the one that is found.
    for (const { pod } of [...this.#byUid.values()].toSorted((a, b) => a.seenAt - b.seenAt)) {
      this.#byName.set(`${pod.namespace}/${pod.name}`, pod);
      for (const { id, digest, image } of pod.containers) {
        if (id !== null) this.#byContainer.set(id.slice(0, 12), pod);
        if (digest !== null) this.#images.set(digest, image);
      }
    }
  }

  byUid(uid: string): KnownPod | null {
    return this.#byUid.get(uid)?.pod ?? null;
  }

  byName(namespace: string, name: string): KnownPod | null {
    return this.#byName.get(`${namespace}/${name}`) ?? null;
  }

  byContainer(id: string): KnownPod | null {
    const pod = this.#byContainer.get(id.slice(0, 12)) ?? null;
    return pod !== null && pod.containers.some((one) => one.id?.startsWith(id) === true) ? pod : null;
  }

  imageOf(digest: Digest): string | null {
    return this.#images.get(digest) ?? null;
  }
}
