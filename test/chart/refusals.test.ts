import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render, withHelm } from './helm.ts';

const REFUSED: readonly (readonly [
  about: string,
  values: Readonly<Record<string, unknown>>,
  said: RegExp,
])[] = [
  [
    'more than one replica on SQLite',
    { replicaCount: 3 },
    /replicaCount is 3, but the database is SQLite, which serves one replica: set database\.existingSecret/,
  ],
  [
    'a mirror of the catalogue that nothing reads',
    { kev: { existingConfigMap: 'mirror' } },
    /kev\.existingConfigMap is mirror, but kev\.source is https:.*set kev\.source to file:\/\/\/etc\/kev\//s,
  ],
  [
    'a catalogue in a file that nothing mounts',
    { kev: { source: 'file:///etc/kev/kev.json' } },
    /nothing is mounted there: set kev\.existingConfigMap/,
  ],
  [
    'a trust root that nothing mounts',
    { sigstore: { trustRoot: 'file:///etc/sigstore/root.json' } },
    /nothing is mounted there: set sigstore\.existingConfigMap/,
  ],
  [
    'release data that nothing reads',
    { endOfLife: { existingConfigMap: 'mirror' } },
    /endOfLife\.existingConfigMap is mirror, but endOfLife\.source is https:/,
  ],
  [
    'a token for no server of Trivy',
    { scanner: { serverToken: { existingSecret: 'trivy' } } },
    /set scanner\.server to the address/,
  ],
  [
    'a given certificate without its authority',
    { webhook: { certificates: { source: 'existing', existingSecret: 'tls' } } },
    /webhook\.certificates\.caBundle to the PEM of its authority/,
  ],
  [
    'a given certificate that is not read',
    { webhook: { certificates: { existingSecret: 'tls' } } },
    /the source is own: set webhook\.certificates\.source to existing/,
  ],
  [
    'an ingress without a host',
    { api: { ingress: { enabled: true } } },
    /api\.ingress\.enabled needs api\.ingress\.host/,
  ],
  [
    'single sign-on without a public address',
    { api: { oidc: { issuer: 'https://login.example.com', clientId: 'ipo' } } },
    /api\.oidc\.issuer needs api\.oidc\.clientId, and api\.publicUrl or api\.ingress\.host/,
  ],
  [
    'a password of a proxy in a ConfigMap',
    { outbound: { proxy: 'http://ipo:secret@proxy.example.com:3128' } },
    /put the whole address into a Secret with the key proxy, and set outbound\.existingSecret/,
  ],
  [
    'two addresses of a proxy',
    { outbound: { proxy: 'http://proxy.example.com:3128', existingSecret: 'proxy' } },
    /outbound\.proxy and outbound\.existingSecret are both set/,
  ],
  [
    'a label that the chart sets',
    { podLabels: { 'app.kubernetes.io/name': 'mine' } },
    /podLabels has app\.kubernetes\.io\/name, which the chart sets by itself/,
  ],
  ['one port for both', { api: { port: 8443 } }, /api\.port and webhook\.port are both 8443/],
  [
    'one port for the webhook and the detector',
    { integrations: { port: 8443, detector: { enabled: true } } },
    /webhook\.port and integrations\.port are both 8443/,
  ],
];

for (const [about, values, said] of REFUSED) {
  test(`refused: ${about}`, withHelm, async () => {
    await assert.rejects(render(values), said);
  });
}

const NOT_TAKEN: readonly Readonly<Record<string, unknown>>[] = [
  { replicas: 2 },
  { webhook: { failurepolicy: 'Fail' } },
  { webhook: { failurePolicy: 'fail' } },
  { webhook: { timeoutSeconds: 60 } },
  { api: { dataKey: { existingsecret: 'x' } } },
  { api: { oidc: { roles: { admins: 'owner' } } } },
  { integrations: { detector: { connection: 'token' } } },
  { replicaCount: 0 },
  { replicaCount: '3' },
  { nodes: { pollInterval: 'often' } },
  { nodes: { graceDays: 15 } },
  { image: { digest: 'sha256:abc' } },
  { networkPolicy: { apiServer: { cidrs: ['everywhere'] } } },
  { extraEnv: [{ nam: 'X' }] },
  { webhook: { port: 443 } },
  { webhook: { namespaceSelector: { matchExpressions: [{ key: 'x', operator: 'Gt' }] } } },
];

for (const values of NOT_TAKEN) {
  test(`the schema refuses ${JSON.stringify(values)}`, withHelm, async () => {
    await assert.rejects(render(values), /values don't meet the specifications of the schema/);
  });
}
