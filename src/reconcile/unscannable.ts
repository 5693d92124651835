import type { PodController, RunningPod } from './ports.ts';

/** UnscannableImage is an image that cannot be scanned, with why. */
export interface UnscannableImage {
  readonly digest: string;
  /** `linux/arm64`; null where no platform was chosen. */
  readonly platform: string | null;
  /** From a closed list. */
  readonly reason: string;
  /** A sentence: why, and what to do. */
  readonly message: string;
}

/** UnscannableEvent is what the cluster is told of a workload whose image cannot be scanned. */
export interface UnscannableEvent {
  /** What makes the pods, else the pod. */
  readonly regarding: PodController & { readonly namespace: string };
  readonly message: string;
  /** What is told, and when it was told before, UTC milliseconds or null; for `putOff`. */
  readonly key: string;
  readonly before: number | null;
}

/** A workload is told the same again after this many milliseconds, as long as it holds: events of the cluster last an hour or so. */
const AGAIN_MS = 6 * 60 * 60_000;

/**
 * UnscannableNews tells each workload once for each image and reason why an image that it runs cannot be scanned, and again every six
 * hours while that holds: not with each attempt, however often one is made.
 */
export class UnscannableNews {
  #told = new Map<string, number>();

  /**
   * The events that are due at a time in milliseconds, those first that were told longest ago; they count as told until `putOff`. What is not in
   * `images` any more is forgotten, so that it is news if it comes back.
   */
  due(
    images: readonly UnscannableImage[],
    pods: readonly RunningPod[],
    at: number,
  ): readonly UnscannableEvent[] {
    const byDigest = Map.groupBy(images, ({ digest }) => digest);
    const told = new Map<string, number>();
    const events: UnscannableEvent[] = [];
    for (const pod of pods) {
      if (pod.finished || pod.deleting) continue;
      const regarding = {
        ...(pod.controller ?? { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid }),
        namespace: pod.namespace,
      };
      for (const container of pod.containers) {
        for (const { digest, platform, reason, message } of byDigest.get(container.digest ?? '') ?? []) {
          if (platform !== null && (pod.platform ?? platform) !== platform) continue;
          const key = JSON.stringify([regarding.uid, digest, platform, reason]);
          if (told.has(key)) continue;
          const before = this.#told.get(key);
          const isDue = before === undefined || at - before >= AGAIN_MS || before > at;
          told.set(key, isDue ? at : before);
          if (isDue)
            events.push({
              regarding,
              message: `${container.image.slice(0, 300)} cannot be scanned: ${message}`,
              key,
              before: before ?? null,
            });
        }
      }
    }
    this.#told = told;
    return events.toSorted((a, b) => (a.before ?? 0) - (b.before ?? 0));
  }

  /** Takes back that an event was told, so that it is due at once, in its turn. */
  putOff({ key, before }: UnscannableEvent): void {
    if (before === null) this.#told.delete(key);
    else this.#told.set(key, before);
  }
}
