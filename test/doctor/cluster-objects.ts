import { certificateMaker } from '../../src/adapters/certificates/index.ts';
import type { Json } from '../kubernetes/fake/objects.ts';

const DAY = 86_400_000;
export const NAMESPACE = 'ipo-system';
const CHART = { 'app.kubernetes.io/name': 'image-policy-operator', 'app.kubernetes.io/instance': 'ipo' };
const POD = { ...CHART, 'app.kubernetes.io/component': 'service' };
const HOST = `ipo-webhook.${NAMESPACE}.svc`;

/** Objects are those of an installation, by kind and name, for a test to change before they are put there. */
export type Objects = Map<string, Json>;

/** Material are certificates of an installation. */
export interface Material {
  readonly ca: string;
  readonly other: string;
  readonly cert: string;
  readonly ended: string;
  readonly stranger: string;
}

/** makeMaterial makes them. */
export async function makeMaterial(now: number): Promise<Material> {
  const life = { from: now - DAY, to: now + 90 * DAY };
  const [ca, other] = [
    await certificateMaker.makeAuthority(life),
    await certificateMaker.makeAuthority(life),
  ];
  const make = (names: readonly string[], to: number) =>
    certificateMaker.makeServing(ca, names, { from: now - 2 * DAY, to });
  return {
    ...{ ca: ca.cert, other: other.cert, cert: (await make([HOST], life.to)).cert },
    ended: (await make([HOST], now - DAY)).cert,
    stranger: (await make(['other.example.svc'], life.to)).cert,
  };
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** soundObjects are those of a sound installation. */
export function soundObjects({ ca, cert }: Material, now: number): Objects {
  const own = (name: string, labels: Json = CHART): Json => ({ name, namespace: NAMESPACE, labels });
  const objects: readonly Json[] = [
    {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
      metadata: own('ipo', { ...CHART, 'app.kubernetes.io/version': '1.3.7' }),
      spec: {
        replicas: 2,
        template: {
          spec: {
            serviceAccountName: 'ipo',
            containers: [
              {
                name: 'ipod',
                env: [{ name: 'DATA_KEY', valueFrom: { secretKeyRef: { name: 'ipo-data-key' } } }],
              },
            ],
          },
        },
      },
    },
    ...['ipo-0', 'ipo-1'].map((name) => ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: own(name, POD) },
      spec: { containers: [{ name: 'ipod', image: 'registry.example.com/ipo:1.3.7' }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [{ restartCount: 0 }] },
    })),
    { apiVersion: 'v1', kind: 'Service', metadata: own('ipo-webhook') },
    {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
      metadata: own('ipo-webhook-1', { 'kubernetes.io/service-name': 'ipo-webhook' }),
      endpoints: [{ conditions: { ready: true } }, { conditions: { ready: true } }],
    },
    {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: own('ipo-webhook-tls') },
      data: { 'tls.crt': base64(cert) },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: own('ipo-data-key') },
      data: { DATA_KEY: base64(Buffer.alloc(32, 7).toString('base64')) },
    },
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: own('ipo') },
      data: { 'config.yaml': 'reconcile:\n  interval: 1h\n  allowEnforce: false\n' },
    },
    {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: own('data-ipo-0') },
      status: { phase: 'Bound' },
    },
    {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: own('ipo-leader') },
      spec: {
        holderIdentity: 'ipo-0_1',
        leaseDurationSeconds: 15,
        renewTime: new Date(now - 2_000).toISOString().replace('Z', '000Z'),
      },
    },
    webhookOf('ipo', NAMESPACE, ca),
  ];
  return new Map(
    objects.map((one) => [`${String(one['kind'])}/${String((one['metadata'] as Json)['name'])}`, one]),
  );
}

/** webhookOf is the ValidatingWebhookConfiguration of an installation. */
export function webhookOf(name: string, namespace: string, ca: string): Json {
  return {
    ...{
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
    },
    webhooks: [
      {
        ...{ name: 'pods.ipo.dev', failurePolicy: 'Ignore', timeoutSeconds: 5, sideEffects: 'NoneOnDryRun' },
        admissionReviewVersions: ['v1'],
        clientConfig: {
          caBundle: base64(ca),
          service: { name: 'ipo-webhook', namespace, path: `/admission/pods/${'0a'.repeat(16)}` },
        },
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'kubernetes.io/metadata.name',
              operator: 'NotIn',
              values: [namespace, 'kube-system', 'kube-node-lease'],
            },
          ],
        },
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['UPDATE'],
            resources: ['pods/ephemeralcontainers'],
          },
        ],
      },
    ],
  };
}
