import { z } from 'zod';
import { REPORT_KINDS } from '../../cluster/index.ts';

const name = (description: string) =>
  z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, { error: 'must be the name of an object of Kubernetes' })
    .meta({ description });

/** clusterSettings say whether the service is the operator of a cluster; without them it runs outside a cluster. */
export const clusterSettings = z
  .strictObject({
    kubeconfig: z
      .string()
      .min(1)
      .max(4096)
      .meta({
        description: 'Kubeconfig by which the cluster is reached. Unset: as the pod that the service runs in',
      })
      .optional(),
    namespace: name('Namespace of the operator. Unset: that of its pod').optional(),
    leaseName: name('Lease by which several replicas elect their leader').default('image-policy-operator'),
    imageReports: z
      .boolean()
      .default(true)
      .meta({ description: 'Whether ClusterImageReport objects are written' }),
    trivyOperator: z.boolean().default(false).meta({
      description:
        'Whether VulnerabilityReport objects of trivy-operator are recorded as scans as they come and change. Let it report every severity: what it leaves out is not known here',
    }),
    policyReports: z.enum(REPORT_KINDS).default('off').meta({
      description:
        'Whether a report of the images of each namespace is written, and for which API: `openreports` (openreports.io/v1alpha1) or `wgpolicy` (wgpolicyk8s.io/v1alpha2)',
    }),
  })
  .meta({ description: 'The cluster whose operator the service is' });

/** ClusterSettings are they. */
export type ClusterSettings = z.output<typeof clusterSettings>;
