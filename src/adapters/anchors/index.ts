/**
 * Places outside that are told of checkpoints: a file, an address that takes POST, a ConfigMap of Kubernetes.
 * It uses `transport`.
 */
export { AnchorError } from './anchor-error.ts';
export { fileAnchor, type FileAnchorOptions } from './file-anchor.ts';
export { httpAnchor, type HttpAnchorOptions } from './http-anchor.ts';
export { kubernetesAnchor, type KubernetesAnchorOptions } from './kubernetes-anchor.ts';
