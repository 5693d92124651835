import { parseReference } from '../image/index.ts';
import { digestOf } from './judge-running.ts';
import type { RunningPod, SeenWorkload } from './ports.ts';

/** seenWorkloads gives which workload runs which digests: what the nodes pulled, and what the pods name. */
export function seenWorkloads(pods: readonly RunningPod[]): SeenWorkload[] {
  const seen = new Map<string, SeenWorkload>();
  for (const { finished, namespace, workload, containers } of pods) {
    if (finished) continue;
    for (const container of containers) {
      for (const digest of [container.digest, digestOf(container)]) {
        if (digest === null) continue;
        seen.set(`${namespace}/${workload} ${digest}`, { namespace, workload, digest });
      }
    }
  }
  return [...seen.values()];
}

/** namesOf gives the names (`host/path`) of the images that pods run. Many pods run one image: each is read once. */
export function namesOf(pods: readonly RunningPod[]): string[] {
  const images = new Set(
    pods.flatMap(({ finished, containers }) => (finished ? [] : containers.map(({ image }) => image))),
  );
  const names = new Set<string>();
  for (const image of images) {
    const reference = parseReference(image);
    if (!('fault' in reference)) names.add(reference.name);
  }
  return [...names];
}
