import type { Secret } from '../base/index.ts';

/** PullingPod is a pod, or the template of one, as far as its pull secrets go. */
export interface PullingPod {
  readonly namespace: string;
  /** `spec.imagePullSecrets`, by name. */
  readonly pullSecrets: readonly string[];
  /** Asked for pull secrets where the pod names none, as the API server does when it admits a pod; null: not asked. */
  readonly serviceAccount: string | null;
}

/** PullSecret is a Secret of a kind that holds credentials for registries. */
export interface PullSecret {
  /** `namespace/name`. */
  readonly name: string;
  /** `docker_config`: a docker `config.json`; `dockercfg`: the older form, only its `auths`. */
  readonly form: 'docker_config' | 'dockercfg';
  /** The JSON document. */
  readonly document: Secret;
}

/** PodPullSecrets are those of a pod, in the order in which it names them. */
export interface PodPullSecrets {
  readonly secrets: readonly PullSecret[];
  /** Why some could not be read, each a clause with the Secret's name; the kubelet goes on without them, too. */
  readonly faults: readonly string[];
}

/** PullSecrets reads pull secrets out of the cluster. Never throws for a Secret that is not there or may not be read. */
export interface PullSecrets {
  of(pod: PullingPod): Promise<PodPullSecrets>;
}
