import type { Manifest, Workload } from '../manifests/index.ts';
import { Exposure, signalsOf } from '../pods/index.ts';
import type { CheckedPod } from './images.ts';

/**
 * podsOf gives the pods of manifests. Services and Ingresses of any of them expose the pods of all of them, as they
 * would once they are applied together.
 */
export function podsOf(manifests: readonly Manifest[]): CheckedPod[] {
  const exposure = new Exposure(
    manifests.flatMap(({ services }) => services),
    manifests.flatMap(({ ingresses }) => ingresses),
  );
  return manifests.flatMap(({ workloads }) => workloads.map((workload) => toPod(workload, exposure)));
}

function toPod(workload: Workload, exposure: Exposure): CheckedPod {
  const { file, kind, name, namespace, labels, breakGlassReason, spec, images, line, column } = workload;
  const exposedBy = exposure.of(namespace, labels);
  return {
    file,
    kind,
    name,
    namespace,
    line,
    column,
    signals: signalsOf(spec, exposedBy),
    exposedBy,
    breakGlassReason,
    quota: null,
    images,
  };
}
