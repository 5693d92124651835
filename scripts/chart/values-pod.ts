import { z } from 'zod';
import { about, asIs, choice, environment, flag, labels, listAsIs, text, texts } from './parts.ts';

/** podValues are the values of the pods themselves: where they run, with what, and what the user adds to them. */
export const podValues = {
  resources: z
    .strictObject({
      requests: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      limits: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    })
    .default({ requests: { cpu: '100m', memory: '512Mi' }, limits: { memory: '2Gi' } })
    .meta(
      about('Requests and limits of the container. No limit of CPU: a throttled webhook keeps pods waiting'),
    ),
  podAnnotations: labels('Annotations of the pods'),
  podLabels: labels('Labels of the pods'),
  priorityClassName: text('Priority class of the pods, such as `system-cluster-critical`'),
  nodeSelector: labels('Nodes that may run the pods'),
  tolerations: listAsIs('Taints that the pods tolerate'),
  affinity: asIs('Affinity of the pods'),
  hostNetwork: flag(
    'Runs the pods in the network of their nodes, where the API server reaches no other (`api.port` and `webhook.port` must be free there). The NetworkPolicy has no effect on them then, and the restricted profile of Pod Security denies them',
    false,
  ),
  dnsPolicy: choice(
    ['', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
    '',
    'How the pods look names up. Empty: `ClusterFirstWithHostNet` with `hostNetwork`, else that of the cluster',
  ),
  extraArgs: texts('Additional arguments of `ipod`'),
  extraEnv: environment(
    'Additional environment variables, such as settings of docs/settings.md that are not values here',
  ),
  extraVolumes: listAsIs('Additional volumes of the pods, as Kubernetes writes them'),
  extraVolumeMounts: listAsIs('Where the container mounts them'),
};
