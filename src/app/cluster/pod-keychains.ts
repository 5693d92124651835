import { chainKeychains } from '../../adapters/registry/index.ts';
import type { Digest, Log } from '../../base/index.ts';
import type { Keychain, PullingPod } from '../../image/index.ts';
import { digestOf, type RunningPods } from '../../reconcile/index.ts';

/** PodKeychainsDeps are what the credentials for an image that runs are found with. */
export interface PodKeychainsDeps {
  readonly running: RunningPods;
  /** Which pull secrets a pod names; null for one that is gone. */
  readonly podOf: (namespace: string, name: string) => Promise<PullingPod | null>;
  readonly keychainOf: (pod: PullingPod) => Promise<Keychain>;
  readonly log: Log;
}

/** Pods of one image that are asked, each of another namespace. */
const MOST_PODS = 4;

/**
 * podKeychains gives the credentials with which an image was pulled: those of pods that run it, of at most four namespaces. Null where
 * no pod runs it, or none could be read; never rejects.
 */
export function podKeychains({ running, podOf, keychainOf, log }: PodKeychainsDeps) {
  return async (digest: Digest): Promise<Keychain | null> => {
    try {
      const { pods } = await running.list();
      const namespaces = new Map<string, string>();
      for (const { namespace, name, containers } of pods) {
        if (namespaces.size === MOST_PODS) break;
        if (
          !namespaces.has(namespace) &&
          containers.some((one) => one.digest === digest || digestOf(one) === digest)
        )
          namespaces.set(namespace, name);
      }
      const found = await Promise.all([...namespaces].map(([namespace, name]) => podOf(namespace, name)));
      const keychains = await Promise.all(found.flatMap((pod) => (pod === null ? [] : [keychainOf(pod)])));
      return keychains.length === 0 ? null : chainKeychains(...keychains);
    } catch (error) {
      log.debug('the pull secrets of the pods of an image cannot be read now', { digest, error });
      return null;
    }
  };
}
