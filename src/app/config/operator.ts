import { z } from 'zod';
import { FAILURE_POLICIES } from '../../admission/index.ts';
import { SELECTOR_OPERATORS } from '../../reconcile/index.ts';
import { duration, path } from './parts.ts';

const name = (description: string) =>
  z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, { error: 'must be the name of an object of Kubernetes' })
    .meta({ description });
/** certificateSettings say where the serving certificate of the webhook comes from. */
export const certificateSettings = z
  .strictObject({
    source: z.enum(['own', 'files']).default('own').meta({
      description:
        '`own`: the leader makes and rotates it, in `secret`; `files`: `certFile` and `keyFile`, which cert-manager or a person keeps',
    }),
    certFile: path('PEM file with the serving certificate. Read again when it changes').optional(),
    keyFile: path('PEM file with its private key. Read again when it changes').optional(),
    secret: name('Secret of the operator’s namespace with the certificates of the leader').optional(),
    service: name('Service of the webhook, whose names the certificate has').optional(),
    configuration: name('ValidatingWebhookConfiguration whose `caBundle` is kept up to date').optional(),
  })
  .superRefine((settings, context) => {
    const needed = { own: ['secret', 'service', 'configuration'], files: ['certFile', 'keyFile'] } as const;
    // Nothing is needed where there is no webhook; what names one thing names all of it.
    const isSet = Object.keys(settings).some((key) => key !== 'source');
    for (const key of isSet ? needed[settings.source] : []) {
      if (settings[key] === undefined) {
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `is needed with source ${settings.source}`,
        });
      }
    }
  })
  .prefault({});

/** CertificateSettings are they. */
export type CertificateSettings = z.output<typeof certificateSettings>;

/** callerSettings say by what the webhook knows the API server. */
export const callerSettings = z
  .strictObject({
    secret: name(
      'Secret of the operator’s namespace with the path by which the API server calls, kept by the leader. Unset: `webhook.certificates.secret`',
    ).optional(),
    configuration: name(
      'ValidatingWebhookConfiguration whose path is kept up to date. Unset: `webhook.certificates.configuration`',
    ).optional(),
    pathFile: path(
      'Outside of a cluster: file with the secret end of the path, of 22 letters and digits or more (`openssl rand -hex 16`). The address of the webhook is then `/admission/pods/END`. Two lines while one takes the place of the other. Read again when it changes',
    ).optional(),
    clientCaFile: path(
      'PEM file with the authority of the certificate that the API server shows; calls without such a certificate are rejected. Read again when it changes',
    ).optional(),
    clientNames: z.array(z.string().min(1).max(255)).max(100).default([]).meta({
      description: 'Common names of that certificate that are taken; empty takes any of the authority',
    }),
  })
  .prefault({});

/** CallerSettings are they. */
export type CallerSettings = z.output<typeof callerSettings>;

/** failurePolicySetting is what is answered for a pod that could not be decided or recorded in time. */
export const failurePolicySetting = z.enum(FAILURE_POLICIES).default('Ignore').meta({
  description:
    'What is answered for a pod that could not be decided or recorded: the `failurePolicy` of the webhook configuration',
});

/** excludedNamespacesSetting are namespaces whose pods the webhook is not asked about, so that none of them counts as unreviewed. */
export const excludedNamespacesSetting = z.array(name('Namespace')).max(1000).default([]).meta({
  description:
    'Namespaces that the webhook configuration leaves out beside the own, kube-system and kube-node-lease',
});

/** namespaceSelectorSetting is which namespaces the webhook is asked about, by their labels. */
export const namespaceSelectorSetting = z
  .strictObject({
    matchLabels: z.record(z.string(), z.string()).default({}).meta({
      description: 'Labels with the values that a namespace must have, as the webhook configuration says',
    }),
    matchExpressions: z
      .array(
        z.strictObject({
          key: z.string().min(1),
          operator: z.enum(SELECTOR_OPERATORS),
          values: z.array(z.string()).optional(),
        }),
      )
      .max(100)
      .default([])
      .meta({ description: 'Expressions that must hold as well: `key`, `operator`, `values`' }),
  })
  .prefault({});

/** reconcileSettings say how running pods are judged again. */
export const reconcileSettings = z
  .strictObject({
    interval: duration(
      '1m',
      '12h',
      '1h',
      'How often running pods are judged again. An image counts as retired only where a sweep ran within 24 hours',
    ),
    allowEnforce: z.boolean().default(false).meta({
      description:
        'Lets a policy with `runtimeReconciliation: enforce` and a RuntimePolicy under Enforce delete pods: `rbac.allowEnforce` of the chart',
    }),
  })
  .prefault({});

/** nodeSettings say how nodes are counted against the ceiling. Neither loosens the ceiling. */
export const nodeSettings = z
  .strictObject({
    pollInterval: duration('10s', '1h', '5m', 'How often ready nodes are counted'),
    graceDays: z.int().min(0).max(14).default(14).meta({
      description:
        'Days over the ceiling of the licence certificate before it is enforced. Without a certificate there is no ceiling',
    }),
  })
  .prefault({});
