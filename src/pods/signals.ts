import { SIGNALS, type Signal } from '../policy/index.ts';
import { containersOf, type Container, type PodSpec } from './pod.ts';

/** What the baseline level of the Pod Security Standards lets a container add; spelled exactly so. */
const BASELINE_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/**
 * signalsOf gives the signals that a pod shows, in the order of the service. `exposedBy` is the Service or Ingress
 * that leads to it, or null. A pod that opens a port of its node is exposed too, with nothing to name.
 */
export function signalsOf(spec: PodSpec, exposedBy: string | null): Signal[] {
  const containers = containersOf(spec);
  const shown: Readonly<Record<Signal, boolean>> = {
    privileged:
      isHostProcess(spec) ||
      containers.some((one) => one.securityContext?.privileged === true || isHostProcess(one)),
    root: containers.some((one) => mayRunAsRoot(one, spec)),
    hostNamespace: spec.hostNetwork === true || spec.hostPID === true || spec.hostIPC === true,
    hostFilesystem: (spec.volumes ?? []).some(({ hostPath }) => hostPath !== null && hostPath !== undefined),
    capabilities: containers.some((one) =>
      (one.securityContext?.capabilities?.add ?? []).some(
        (capability) => !BASELINE_CAPABILITIES.has(capability),
      ),
    ),
    exposed: exposedBy !== null || opensNodePort(spec, containers),
  };
  return SIGNALS.filter((signal) => shown[signal]);
}

/** A Windows host process runs on the node itself, as a privileged container does. */
function isHostProcess({ securityContext }: PodSpec | Container): boolean {
  return securityContext?.windowsOptions?.hostProcess === true;
}

/**
 * The user of an image is not known here, so what the pod does not rule out is possible: a container may run as root unless its user is
 * another than 0, or unset with `runAsNonRoot` true. A container's own value takes precedence over the pod's. User 0 counts even beside
 * `runAsNonRoot`, as it does for the restricted level of the Pod Security Standards.
 */
function mayRunAsRoot({ securityContext: own }: Container, { securityContext: pod }: PodSpec): boolean {
  const user = own?.runAsUser ?? pod?.runAsUser ?? null;
  if (user !== null) return user === 0;
  return (own?.runAsNonRoot ?? pod?.runAsNonRoot) !== true;
}

/** On the network of its node every port of a pod is one of the node: the API server fills in `hostPort`. */
function opensNodePort({ hostNetwork }: PodSpec, containers: readonly Container[]): boolean {
  return containers.some(({ ports }) =>
    (ports ?? []).some(
      ({ hostPort, containerPort }) => Boolean(hostPort) || (hostNetwork === true && Boolean(containerPort)),
    ),
  );
}
