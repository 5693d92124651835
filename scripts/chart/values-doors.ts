import { z } from 'zod';
import { ROLES } from '../../src/accounts/index.ts';
import { about, choice, flag, group, labels, name, port, selector, text, texts, whole } from './parts.ts';

/** api are the values of the HTTP API. */
export const api = group('The HTTP API', {
  port: port('Port of the pods. The Service has 8080', 8080),
  publicUrl: text(
    'Address by which people and pipelines reach it (`https://…`). Empty: that of `ingress.host`, else http://localhost:8080 for `kubectl port-forward`',
  ),
  dataKey: group('The key under which credentials of trackers are sealed', {
    existingSecret: name(
      'Secret with the key `DATA_KEY` (base64 of 32 random bytes). Empty: `<release>-data-key`, made by the chart with the first install and kept',
    ),
  }),
  tls: group('HTTPS of the API itself', {
    existingSecret: name(
      'Secret of the type kubernetes.io/tls. Empty: plain HTTP inside of the pod’s network, with TLS before it',
    ),
  }),
  trustedProxies: texts('Networks of proxies whose X-Forwarded-For is believed'),
  ingress: group('Ingress', {
    enabled: flag('Makes it', false),
    className: text('Ingress class; empty is that of the cluster'),
    host: text('Host name'),
    tlsSecret: name('Secret with its certificate; empty: the controller has one'),
    annotations: labels('Annotations'),
  }),
  oidc: group('Single sign-on', {
    issuer: text('Address of the identity provider; empty: none'),
    clientId: text('Name of this service at the provider'),
    existingSecret: name('Secret with the key `clientSecret`'),
    trustEmail: flag('Takes e-mail addresses as verified although the provider does not say so', false),
    rolesClaim: text('Claim that decides the role, such as `groups`'),
    roles: z
      .record(z.string(), z.enum(ROLES))
      .default({})
      .meta(about('Role by value of the claim, such as `platform-admins: administrator`')),
    standardRole: z
      .enum(['', ...ROLES])
      .default('')
      .meta(about('Default role when no claim value matches; empty: they may not sign in')),
  }),
});

/** webhook are the values of the admission webhook. */
export const webhook = group('The admission webhook', {
  port: port('Port of the pods. The Service has 443', 8443),
  coldImagePolicy: choice(
    ['AllowAndScan', 'DenyUntilScanned'],
    'AllowAndScan',
    'Decision on images without a scan record, for policies without `admissionTiming`',
  ),
  failurePolicy: choice(
    ['Ignore', 'Fail'],
    'Ignore',
    'What the API server does while no replica answers. `Ignore` admits, and the next sweep records each such pod as `unreviewed`',
  ),
  timeoutSeconds: whole(4, 30, 5, 'Seconds that the API server waits. The service answers within 3'),
  excludedNamespaces: texts(
    'Namespaces that are left out beside the own, kube-system and kube-node-lease, by name',
  ),
  namespaceSelector: selector(
    'Only namespaces with these labels are reviewed. Anyone who may label a namespace can take it out, so names are safer',
  ),
  callers: group('Who may post reviews beside knowing the path', {
    caConfigMap: name(
      'ConfigMap with the key `ca.crt`: the authority of the certificate that the API server shows to webhooks. Calls without such a certificate are then rejected. Empty: only the secret path',
    ),
    names: texts('Common names of that certificate that are taken; empty takes any of the authority'),
  }),
  certificates: group('Serving certificate', {
    source: choice(
      ['own', 'cert-manager', 'existing'],
      'own',
      '`own`: the leader makes and rotates it. `cert-manager`: a Certificate. `existing`: `existingSecret`',
    ),
    existingSecret: name('Secret of the type kubernetes.io/tls, for `existing`'),
    caBundle: text('PEM of the authority that signed it, for `existing`'),
    issuerRef: group(
      'Issuer, for `cert-manager`; with an empty name the chart makes a self-signed authority',
      {
        name: text('Name'),
        kind: choice(['Issuer', 'ClusterIssuer'], 'Issuer', 'Kind'),
      },
    ),
  }),
});
