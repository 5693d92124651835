import type { RouteKey } from '../accounts/index.ts';

const DIGEST = 'sha256:4a5573b6c8f1e2d3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b';
const POLICY = {
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name: 'production' },
  spec: { targetNamespaces: ['shop'], severityThreshold: 'HIGH', denyLatestTag: true },
};

const RUNTIME_POLICY = {
  apiVersion: 'ipo.dev/v1',
  kind: 'RuntimePolicy',
  metadata: { name: 'stop-dropped-binaries' },
  spec: { match: { rules: ['Drop and execute new binary in container'] }, enforcement: 'Audit' },
};

const RULE = {
  name: 'shells',
  match: { tags: ['shell'], priority: 'Notice' },
  window: { count: 3, duration: '10m' },
  action: 'notify',
  throttle: '30m',
};

const CHANNEL = {
  kind: 'github',
  name: 'shop',
  apiBaseUrl: 'https://api.github.com',
  token: 'github_pat_11AAAAAAA0example',
  defaultRepo: 'example/shop',
  labels: ['security'],
};

/** BODY_EXAMPLES has for each route that takes a body one that it takes; a test holds them against the schemas. */
export const BODY_EXAMPLES: Readonly<Partial<Record<RouteKey, unknown>>> = {
  'POST /setup': {
    code: 'rqewi-cdckm-gz3xv-2nhbl-dtm6z',
    email: 'ada@example.com',
    name: 'Ada',
    password: 'plover-lathe-umber',
  },
  'POST /setup/check': { code: 'rqewi-cdckm-gz3xv-2nhbl-dtm6z' },
  'POST /session': { email: 'ada@example.com', password: 'plover-lathe-umber' },
  'PUT /session/password': { current: 'plover-lathe-umber', password: 'quartz-ribbon-finch' },
  'POST /session/password': { code: 'rqewi-cdckm-gz3xv-2nhbl-dtm6z', password: 'quartz-ribbon-finch' },
  'POST /tokens': { name: 'pipeline of the shop', role: 'deployer', days: 90 },
  'POST /accounts': { email: 'grace@example.com', name: 'Grace', role: 'viewer' },
  'PATCH /accounts/{id}': { role: 'deployer' },
  'POST /policies': POLICY,
  'PUT /policies': POLICY,
  'PUT /policies/{name}': POLICY,
  'POST /policies/whatif': { policy: POLICY, days: 30 },
  'POST /runtime/whatif': { rules: [RULE], policies: [RUNTIME_POLICY], days: 7 },
  'POST /images/scan': { digests: [DIGEST] },
  'POST /scans': {
    SchemaVersion: 2,
    ArtifactName: 'registry.example.com/shop/cart:1.4.2',
    ArtifactType: 'container_image',
    Metadata: { RepoDigests: [`registry.example.com/shop/cart@${DIGEST}`] },
    Results: [{ Target: 'cart (debian 12.7)', Class: 'os-pkgs', Type: 'debian', Vulnerabilities: [] }],
  },
  'POST /triage': {
    digest: DIGEST,
    cve: 'CVE-2026-1234',
    reason: 'the vulnerable code is never called',
    until: '2027-01-31T00:00:00Z',
  },
  'POST /runtime/policies': RUNTIME_POLICY,
  'PUT /runtime/policies/{name}': {
    ...RUNTIME_POLICY,
    spec: { ...RUNTIME_POLICY.spec, enforcement: 'Enforce' },
  },
  'POST /runtime/rules': RULE,
  'PUT /runtime/rules': { rules: [RULE] },
  'PUT /runtime/rules/{name}': { ...RULE, enabled: false },
  'POST /runtime/rules/{name}/move': { before: 'backup reads secrets' },
  'POST /channels': CHANNEL,
  'PUT /channels/{id}': { ...CHANNEL, dailyCap: 50 },
  'POST /channels/{id}/adopt': { channel: 'k3v7q2mzt5a6wxyb' },
  'POST /channels/{id}/resend': { since: '2026-11-20T06:00:00Z' },
  'PUT /channels/{id}/mute': { for: '6h', reason: 'the mail server is being moved' },
  'POST /config/import': {
    documents: [
      {
        apiVersion: 'ipo.dev/v1',
        kind: 'ImagePolicy',
        metadata: { name: 'shop' },
        spec: { enforcement: 'Audit', severityThreshold: 'HIGH' },
      },
    ],
    dry_run: true,
  },
  'POST /evidence': {
    from: '2026-07-01T00:00:00Z',
    to: '2026-09-30T23:59:59.999Z',
    frameworks: ['soc2', 'iso-27001'],
  },
  'POST /declarations': {
    statement: 'All clusters of the shop report to this service.',
    valid_until: '2027-06-30T00:00:00Z',
  },
  'PUT /system/licence': {
    certificate: 'ipo-licence-1\n{"id":"lic-1"}\n\n\u2014 licences.example.com AAAAAAAA\n',
  },
};
