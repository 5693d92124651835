import { sha256Hex } from '../src/base/index.ts';

/** UID_MARK and POD_MARK stand in a review where each call has its own uid and pod; both are UUIDs in form. */
export const UID_MARK = '00000000-0000-4000-8000-00000000aaaa';
export const POD_MARK = '00000000-0000-4000-8000-00000000bbbb';

/** IMAGES is how many images the reviews are of; `ledger-store.ts` has facts of as many. */
const IMAGES = 400;

/**
 * reviewBody writes an AdmissionReview as the API server sends it for a pod of a Deployment, with the defaults filled in and with
 * managed fields: about 6.2 KB.
 */
export function reviewBody(n: number): string {
  const number = (n * 37) % IMAGES;
  const namespace = [
    'storefront',
    'checkout',
    'payments',
    'catalog',
    'search',
    'platform',
    'data',
    'monitoring',
  ][n % 8];
  const app = `service-${number}`;
  const image = `registry.shop.example/team-${number % 23}/${app}:1.${number % 30}.${number % 7}@sha256:${sha256Hex(`image ${number}`)}`;
  const pod = `${app}-6d5c8b9f4-${POD_MARK.slice(-4)}x`;
  const [gvk, gvr] = [
    { group: '', version: 'v1', kind: 'Pod' },
    { group: '', version: 'v1', resource: 'pods' },
  ];
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: UID_MARK,
      kind: gvk,
      resource: gvr,
      requestKind: gvk,
      requestResource: gvr,
      name: pod,
      namespace,
      operation: 'CREATE',
      userInfo: {
        username: 'system:serviceaccount:kube-system:replicaset-controller',
        uid: 'f3d1a1d6-0f6b-4f4e-8f0e-6d5b1a1f0c11',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=5b7f7c8e-1d2a-4b55-9a0b-1f6d3b5c7e90'] },
      },
      object: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: metadataOf(app, pod, namespace ?? ''),
        spec: specOf(app, image),
        status: { phase: 'Pending', qosClass: 'Burstable' },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  });
}

function metadataOf(app: string, name: string, namespace: string): object {
  const owned = { '.': {}, 'k:{"uid":"9b1e2b1c-58a1-4f16-9c77-3c1a5a2d9e10"}': {} };
  const probe = {
    '.': {},
    ...{ 'f:failureThreshold': {}, 'f:httpGet': { '.': {}, 'f:path': {}, 'f:port': {}, 'f:scheme': {} } },
    ...{ 'f:periodSeconds': {}, 'f:successThreshold': {}, 'f:timeoutSeconds': {} },
  };
  return {
    name,
    generateName: `${app}-6d5c8b9f4-`,
    namespace,
    uid: POD_MARK,
    creationTimestamp: '2026-11-20T06:00:00Z',
    labels: {
      'app.kubernetes.io/name': app,
      'app.kubernetes.io/instance': 'shop',
      'app.kubernetes.io/version': '1.4.2',
      'pod-template-hash': '6d5c8b9f4',
      'topology.kubernetes.io/zone': 'eu-west-1a',
    },
    annotations: {
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '9090',
      'checksum/config': sha256Hex(app),
    },
    ownerReferences: [
      {
        ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-6d5c8b9f4` },
        ...{ uid: '9b1e2b1c-58a1-4f16-9c77-3c1a5a2d9e10', controller: true, blockOwnerDeletion: true },
      },
    ],
    managedFields: [
      {
        ...{ manager: 'kube-controller-manager', operation: 'Update', apiVersion: 'v1' },
        ...{ time: '2026-11-20T06:00:00Z', fieldsType: 'FieldsV1' },
        fieldsV1: {
          'f:metadata': {
            'f:annotations': {
              '.': {},
              'f:checksum/config': {},
              'f:prometheus.io/port': {},
              'f:prometheus.io/scrape': {},
            },
            'f:generateName': {},
            'f:labels': {
              '.': {},
              'f:app.kubernetes.io/instance': {},
              'f:app.kubernetes.io/name': {},
              'f:pod-template-hash': {},
            },
            'f:ownerReferences': owned,
          },
          'f:spec': {
            'f:containers': {
              [`k:{"name":"${app}"}`]: {
                '.': {},
                'f:env': {
                  '.': {},
                  'k:{"name":"DATABASE_URL"}': { '.': {}, 'f:name': {}, 'f:valueFrom': {} },
                },
                ...{
                  'f:image': {},
                  'f:imagePullPolicy': {},
                  'f:livenessProbe': probe,
                  'f:readinessProbe': probe,
                },
                ...{ 'f:name': {}, 'f:ports': {}, 'f:resources': {}, 'f:securityContext': {} },
                ...{ 'f:terminationMessagePath': {}, 'f:terminationMessagePolicy': {} },
              },
            },
            ...{
              'f:dnsPolicy': {},
              'f:enableServiceLinks': {},
              'f:restartPolicy': {},
              'f:schedulerName': {},
            },
            ...{
              'f:securityContext': {},
              'f:serviceAccount': {},
              'f:serviceAccountName': {},
              'f:volumes': {},
            },
          },
        },
      },
    ],
  };
}

function specOf(app: string, image: string): object {
  const probe = (path: string): object => ({
    ...{ httpGet: { path, port: 8080, scheme: 'HTTP' }, timeoutSeconds: 1 },
    ...{ periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  });
  const token = {
    name: 'kube-api-access-7xk2p',
    readOnly: true,
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  return {
    volumes: [
      { name: 'config', configMap: { name: `${app}-config`, defaultMode: 420 } },
      {
        name: 'kube-api-access-7xk2p',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [
                  { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
                ],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [
      {
        name: app,
        image,
        args: ['--listen=:8080', '--metrics=:9090', '--log-format=json'],
        ports: [
          { name: 'http', containerPort: 8080, protocol: 'TCP' },
          { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
        ],
        env: [
          { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: `${app}-database`, key: 'url' } } },
          { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
          {
            name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
            value: 'http://collector.monitoring.svc.cluster.local:4317',
          },
          {
            name: 'OTEL_RESOURCE_ATTRIBUTES',
            value: `service.name=${app},deployment.environment=production`,
          },
        ],
        resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
        volumeMounts: [{ name: 'config', mountPath: '/etc/service' }, token],
        livenessProbe: probe('/healthz'),
        readinessProbe: probe('/readyz'),
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
        securityContext: {
          capabilities: { drop: ['ALL'] },
          runAsNonRoot: true,
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
        },
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: app,
    serviceAccount: app,
    securityContext: {
      runAsUser: 65532,
      runAsNonRoot: true,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    schedulerName: 'default-scheduler',
    tolerations: [
      {
        key: 'node.kubernetes.io/not-ready',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      },
      {
        key: 'node.kubernetes.io/unreachable',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { 'app.kubernetes.io/name': app } },
      },
    ],
  };
}
