import { z } from 'zod';
import { CISA_KEV } from '../../src/catalogues/index.ts';
import { about, choice, duration, flag, group, labels, name, text, texts, whole } from './parts.ts';
import { api, webhook } from './values-doors.ts';
import { factsValues } from './values-facts.ts';
import { networkPolicy, outbound } from './values-network.ts';
import { podValues } from './values-pod.ts';

/**
 * chartValues is every value of the chart with its default: what values.yaml, values.schema.json, the defaults that templates
 * fall back to and the README of the chart are made from (`npm run chart`). No value is required, and none that is not here is
 * taken.
 */
export const chartValues = z.strictObject({
  nameOverride: name('Takes the place of the chart’s name in the names of objects'),
  fullnameOverride: name('Takes the place of release and chart name in the names of objects'),
  commonLabels: labels('Labels of every object. Those of the pods are `podLabels`'),
  clusterName: text('Name of the cluster, as rows of the ledger, exports, issues and reports carry it'),
  replicaCount: whole(1, 20, 1, 'Replicas. More than one needs PostgreSQL (`database.existingSecret`)'),
  listenAddress: text('Address that the pods listen on; `[::]` in a cluster of IPv6', '0.0.0.0'),
  image: group('The image of the service', {
    registry: text('Registry; empty is the one that the container runtime takes by itself'),
    repository: text('Repository', 'image-policy-operator'),
    tag: text('Tag; empty is the version of the chart’s application'),
    digest: z
      .string()
      .regex(/^(sha256:[0-9a-f]{64})?$/)
      .default('')
      .meta(about('Digest (`sha256:…`), which goes before the tag. Best for production: a tag can be moved')),
    pullPolicy: choice(['IfNotPresent', 'Always', 'Never'], 'IfNotPresent', 'When the image is pulled'),
  }),
  imagePullSecrets: z
    .array(z.strictObject({ name: z.string().min(1) }))
    .default([])
    .meta(about('Secrets for pulling the image')),
  database: group('Where the service keeps its rows', {
    existingSecret: name(
      'Secret with the address of PostgreSQL, as `postgres://USER:PASSWORD@HOST:5432/NAME`. Empty: SQLite on the volume of the one replica',
    ),
    existingSecretKey: text('Key of the address in that Secret', 'url'),
    poolSize: whole(2, 200, 10, 'Sessions that one replica opens at PostgreSQL at most'),
    startEmpty: flag(
      'Allows a change between SQLite and PostgreSQL. The first upgrade after `ipo backup move` needs it, since the chart cannot see into the database. Without a move the ledger and the accounts of the old database are left behind. Nothing is emptied, moved or deleted',
      false,
    ),
  }),
  persistence: group(
    'The volume of each replica: the database of SQLite, and the rows that wait while PostgreSQL is away. It outlives `helm uninstall`',
    {
      enabled: flag('Off: an empty directory, lost with the pod. Only for trials', true),
      size: text('Size. It cannot be changed by an upgrade', '8Gi'),
      storageClass: text('Storage class; empty is the one that the cluster takes by itself'),
    },
  ),
  ledger: group('The ledger of decisions', {
    existingSecret: name(
      'Secret with the key `ledger-key.pem` (Ed25519, PKCS #8) that signs checkpoints. Empty: `<release>-ledger-key`, made by the chart with the first install and kept',
    ),
    origin: text('Name of the log in its checkpoints; it cannot be changed once one is signed'),
    checkpointInterval: duration('60s', 'How often a ledger that has grown gets a checkpoint'),
    configMap: flag(
      'Keeps the newest checkpoint in the ConfigMap `<release>-checkpoint`, outside of the database',
      true,
    ),
  }),
  admin: group('The first administrator', {
    existingSecret: name(
      'Secret with the keys `email` and `password`. Empty: a code in the log of the first start (the notes of the install say how to take it)',
    ),
  }),
  api,
  webhook,
  kev: group('The catalogue of known exploited vulnerabilities', {
    source: text(
      '`https://…`, a mirror in `existingConfigMap` as `file:///etc/kev/<key>` (gzip allowed), or `off`',
      CISA_KEV,
    ),
    existingConfigMap: name('ConfigMap with a mirror of the catalogue, mounted at /etc/kev'),
  }),
  ...factsValues,
  reconcile: group('Running pods are judged again', {
    interval: duration('1h', 'How often'),
  }),
  nodes: group(
    'Ready nodes are counted against the ceiling of the licence certificate. Neither value loosens it. Without a certificate there is no ceiling',
    {
      pollInterval: duration('5m', 'How often'),
      graceDays: whole(0, 14, 14, 'Days over the ceiling before it is enforced'),
    },
  ),
  licence: group('Licence certificates: ceilings of nodes and image names', {
    publicKeys: texts(
      'Keys that may sign certificates, as `ipo licence keygen` prints them. None: no certificate can be activated',
    ),
    url: text('Licence service that is asked once a day; empty asks nobody'),
    existingSecret: name('Secret with the licence key under `key`; needed with `url`'),
  }),
  evidence: group('Evidence packages, and what they are made of', {
    retentionDays: whole(
      0,
      36_500,
      400,
      'Days for which packages are kept, and the history of findings, scans, runs of images and clusters once it ended. 0 keeps all',
    ),
    existingSecret: name(
      'Secret with the key `evidence-key.pem` (ECDSA on P-256) that signs packages. Empty: `<release>-evidence-key`, made by the chart with the first install and kept. Name another Secret to change the key',
    ),
    frameworks: texts('Frameworks where a request names none, such as `[soc2, iso-27001]`; empty is all'),
    timestampUrl: text(
      'Time stamp authority (RFC 3161) that stamps each package; empty: none. A port other than 443 must be in `networkPolicy.outside.ports` as well',
    ),
    organisation: text('Name of the organisation, as packages print it'),
    contact: text('Whom an auditor asks, as packages print it'),
  }),
  backup: group('Backups that the service makes of itself', {
    schedule: text(
      'How often the database is backed up, such as `24h`; empty: never. Keys are not in these backups',
    ),
    existingClaim: name(
      'PersistentVolumeClaim that they are written to, which every replica can mount. Empty: `backups` on the volume of the replica, which is lost with it',
    ),
    registry: text(
      'Repository of an OCI registry that they are pushed to instead, such as `registry.example.com/backups/ipo`. The credential of `registries.existingSecret` must be able to push, and to delete for `keep`',
    ),
    keep: whole(1, 1000, 7, 'Backups that are kept'),
  }),
  rbac: group('What the service may do in the cluster', {
    create: flag('Makes the roles and their bindings', true),
    allowEnforce: flag(
      'Lets the service delete pods that a policy with `runtimeReconciliation: enforce` denies, or that a RuntimePolicy under Enforce stops. Without it they are only recorded',
      false,
    ),
  }),
  reports: group('Findings as reports of other projects', {
    policyReports: choice(
      ['none', 'openreports', 'wgpolicy'],
      'none',
      'Writes a report of the images of each namespace for this API: `openreports` (openreports.io/v1alpha1) or `wgpolicy` (wgpolicyk8s.io/v1alpha2), whose definitions are not part of this chart',
    ),
  }),
  outbound,
  trackers: group('Issue trackers', {
    allowedHosts: texts(
      'Hosts that trackers, chats and webhooks may have, `*.example.com` for those below a name; none is any',
    ),
    privateNetworks: choice(
      ['allow', 'refuse'],
      'allow',
      'Whether a tracker may have an address of a private network',
    ),
  }),
  whatif: group('Replays of drafts', {
    timeLimit: duration('120s', 'How long the answer of one replay may take'),
    memory: whole(128, 65_536, 512, 'MiB that the process of the replays may take, within `resources`'),
  }),
  runtime: group('Events of a runtime detector', {
    retentionDays: whole(0, 36_500, 90, 'Days that events are kept; 0 keeps all'),
    maxStops: whole(1, 1000, 10, 'Pods that are stopped within a minute at most, by sweeps too'),
  }),
  integrations: group('What sends events to the service', {
    port: whole(1024, 65_535, 8444, 'Port of the listener with mutual TLS'),
    detector: group('The runtime detector', {
      enabled: flag(
        'Opens the listener, which accepts only the certificate that the service makes, in the Secret `<release>-detector-mtls`',
        false,
      ),
      connection: choice(
        ['mtls', 'sidekick'],
        'mtls',
        'How the detector reaches it: itself, or through a relay’s webhook output',
      ),
      names: texts(
        'Names and addresses by which it calls, beside those of the Service `<fullname>-detector`',
      ),
      existingSecret: text('No longer read; taken so that values of 1.1.0 can be reused'),
      minPriority: text('No longer read; taken so that values of 1.1.0 can be reused'),
    }),
  }),
  metrics: group('For the Prometheus operator and Grafana', {
    serviceMonitor: group('ServiceMonitor', {
      enabled: flag('Makes it; needs the CRDs of the Prometheus operator', false),
      interval: duration('30s', 'How often is scraped'),
      labels: labels('Labels by which your Prometheus selects it'),
    }),
    prometheusRule: group('PrometheusRule with the alerts', {
      enabled: flag('Makes it; needs the CRDs of the Prometheus operator', false),
      labels: labels('Labels by which your Prometheus selects it'),
    }),
    dashboard: group('Grafana dashboard in a ConfigMap', {
      enabled: flag('Makes it', false),
      labels: z
        .record(z.string(), z.string())
        .default({ grafana_dashboard: '1' })
        .meta(about('Labels by which the sidecar of Grafana finds it')),
      annotations: labels('Annotations, such as the folder of the dashboard'),
    }),
  }),
  log: group('The log', {
    level: choice(['debug', 'info', 'warn', 'error'], 'info', 'Minimum level of lines that are written'),
  }),
  crds: group('The custom resources', {
    install: flag(
      'Installs and upgrades their definitions. They are kept over an uninstall, and with them every policy',
      true,
    ),
  }),
  serviceAccount: group('The account of the pods', {
    create: flag('Makes it', true),
    name: name('Its name; empty is made from the release'),
    annotations: labels('Annotations, such as the identity at a cloud provider'),
  }),
  ...podValues,
  topologySpread: group('Replicas are spread over zones and hosts', {
    enabled: flag('Spreads them as far as it goes; it never keeps a replica from starting', true),
  }),
  podDisruptionBudget: group('Disruption budget, with more than one replica', {
    enabled: flag('At most one replica is taken away on purpose at a time', true),
  }),
  networkPolicy,
  flowSchema: group('Priority of the service’s own calls at the API server', {
    enabled: flag(
      'Puts them into `workload-high`, and the lease into `leader-election`, where the cluster has these',
      true,
    ),
  }),
});
