/**
 * The API server: how it is reached from a pod or with a kubeconfig, what is kept in memory of the cluster by lists and watches, and what
 * is written to it. Loaded by the daemon only in a cluster. It uses no other adapter.
 */
export { KubernetesApi } from './api.ts';
export type { Connection } from './connection.ts';
export { eventSink } from './event-sink.ts';
export { openInCluster } from './in-cluster.ts';
export { Informer } from './informer.ts';
export { openKubeconfig } from './kubeconfig.ts';
export { leaseStore } from './lease-store.ts';
export { policyStatuses, toPolicyObject } from './policy-objects.ts';
export { readCaBundles } from './live-bundles.ts';
export { clusterLivePods } from './live-pods.ts';
export { customPolicies, customPolicyStore, type PolicyRevisions } from './policy-store.ts';
export { openReads, type ClusterReads } from './reads.ts';
export { clusterPodStopper, clusterReplacements } from './replacements.ts';
export { imageReportObjects, policyReportObjects } from './report-objects.ts';
export { pathOf, RESOURCES, type KubeList, type KubeObject, type Resource } from './resources.ts';
export { spoolNotes } from './spool-notes.ts';
export { clusterSecrets, type Secrets } from './secrets.ts';
export { writeCaBundle } from './webhook-bundle.ts';
export { readWebhookPaths, writeWebhookPath } from './webhook-path.ts';
export { clusterPullSecrets, readPullingPod } from './pull-secrets.ts';
