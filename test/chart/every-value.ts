/** EVERYTHING sets every value of the chart that makes something, so that each template is asked for all it has. */
export const EVERYTHING: Readonly<Record<string, unknown>> = {
  clusterName: 'prod-eu1',
  replicaCount: 3,
  image: {
    registry: 'registry.example.com',
    repository: 'platform/image-policy-operator',
    digest: `sha256:${'a'.repeat(64)}`,
    pullPolicy: 'Always',
  },
  imagePullSecrets: [{ name: 'pull' }],
  database: { existingSecret: 'postgres', existingSecretKey: 'address', poolSize: 20, startEmpty: true },
  persistence: { size: '2Gi', storageClass: 'fast' },
  ledger: { existingSecret: 'my-ledger-key', origin: 'example.com/ledger', checkpointInterval: '2m' },
  admin: { existingSecret: 'first-admin' },
  api: {
    dataKey: { existingSecret: 'my-data-key' },
    tls: { existingSecret: 'api-tls' },
    trustedProxies: ['10.0.0.0/8'],
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'ipo.example.com',
      tlsSecret: 'ipo-tls',
      annotations: { 'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS' },
    },
    oidc: {
      issuer: 'https://login.example.com',
      clientId: 'ipo',
      existingSecret: 'oidc',
      trustEmail: true,
      rolesClaim: 'groups',
      roles: { 'platform-admins': 'administrator' },
      standardRole: 'viewer',
    },
  },
  webhook: {
    coldImagePolicy: 'DenyUntilScanned',
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    excludedNamespaces: ['legacy', 'kube-system'],
    certificates: { source: 'cert-manager' },
    callers: { caConfigMap: 'api-server-ca', names: ['kube-apiserver'] },
  },
  kev: { source: 'file:///etc/kev/kev.json.gz', existingConfigMap: 'kev-mirror' },
  endOfLife: { source: 'file:///etc/end-of-life/releases.json', existingConfigMap: 'releases' },
  scanner: {
    ...{ kind: 'off', server: 'http://trivy.security.svc:4954', serverToken: { existingSecret: 'trivy' } },
    ...{ atOnce: 4, timeout: '8m', platform: 'linux/arm64', memory: 1024, rescanAfter: '12h', update: false },
    ...{ sizeLimit: '20Gi', trivyOperator: true },
    databaseRepository: 'registry.example.com/trivy-db:2',
    javaDatabaseRepository: 'registry.example.com/trivy-java-db:1',
  },
  registries: {
    ...{
      tags: 'ignore',
      proofs: 'ignore',
      existingSecret: 'pull',
      podSecrets: true,
      caConfigMap: 'registry-ca',
    },
    hosts: [{ host: 'docker.io', mirrors: ['mirror.example.com/hub'], mirrorsOnly: true }],
  },
  sigstore: {
    ...{ trustRoot: 'file:///etc/sigstore/trusted_root.json', existingConfigMap: 'sigstore' },
    keyedLog: 'required',
  },
  vex: {
    sources: [{ document: 'file:///etc/vex/acme.json', bundle: 'https://vex.example.com/acme.bundle' }],
    existingConfigMap: 'vex',
  },
  reconcile: { interval: '30m' },
  nodes: { pollInterval: '1m', graceDays: 7 },
  evidence: { retentionDays: 800 },
  rbac: { allowEnforce: true },
  reports: { policyReports: 'openreports' },
  trackers: { allowedHosts: ['*.example.com'], privateNetworks: 'refuse' },
  whatif: { timeLimit: '60s', memory: 256 },
  metrics: {
    serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true, labels: { grafana_dashboard: 'yes' }, annotations: { folder: 'Security' } },
  },
  log: { level: 'debug' },
  serviceAccount: { name: 'operator', annotations: { 'example.com/role': 'reader' } },
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
  podAnnotations: { 'example.com/a': 'b' },
  podLabels: { team: 'platform' },
  priorityClassName: 'system-cluster-critical',
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'control', operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['system'] }] }],
      },
    },
  },
  networkPolicy: {
    apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    webhookFrom: ['10.1.0.0/28'],
    apiServer: { cidrs: ['10.1.0.0/28'], ports: [6443] },
    database: { cidrs: ['10.2.0.0/24'], port: 5433 },
    outside: { cidrs: ['192.0.2.0/24'], ports: [443, 8443] },
  },
  extraEnv: [
    { name: 'IPO_LOG_FORMAT', value: 'json' },
    { name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } },
  ],
};

/** GIVEN sets those values that EVERYTHING cannot, as they exclude others. */
export const GIVEN: Readonly<Record<string, unknown>> = {
  fullnameOverride: 'gate',
  listenAddress: '[::]',
  persistence: { enabled: false },
  webhook: {
    certificates: {
      source: 'existing',
      existingSecret: 'gate-tls',
      caBundle: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
    },
  },
  reports: { policyReports: 'wgpolicy' },
  integrations: { detector: { existingSecret: 'of-1.1.0', minPriority: 'Warning' } },
};
