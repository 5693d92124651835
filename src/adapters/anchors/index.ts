/**
 * Places outside that are told of checkpoints: a file, an address that takes POST, a ConfigMap of Kubernetes.
 * It uses `transport`.
 */
export { fileAnchor } from './file-anchor.ts';
export { httpAnchor } from './http-anchor.ts';
export { kubernetesAnchor } from './kubernetes-anchor.ts';
