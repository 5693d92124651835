import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  examine,
  SERVICE_CHECKS,
  type ChannelFacts,
  type ServiceFacts,
  type State,
} from '../../src/doctor/index.ts';
import { holdsFault, wrong } from './seeded.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const fresh = { off: false, freshAt: NOW - HOUR, lastError: null };

const channel: ChannelFacts = {
  ...{
    name: 'hub',
    kind: 'github',
    isTracker: true,
    enabled: true,
    fault: null,
    hostFault: null,
    lastError: null,
  },
  ...{
    secrets: [{ field: 'token', state: 'set' }],
    mutedUntil: null,
    paused: false,
    events: ['critical_finding'],
  },
};

const SOUND: ServiceFacts = {
  ...{
    version: '1.3.7',
    startedAt: NOW - 100 * HOUR,
    unscannable: 0,
    scannerOff: false,
    hasDataKey: true,
    notifyingRules: 0,
    runtimeEvents: { events: 100, byField: 90, byPod: 7 },
  },
  database: { engine: 'postgres', fault: null, readOnly: null },
  ledger: {
    ...{ rows: 100, signedRows: 100, signedAt: NOW - 30_000, spooledRows: 0, holding: false },
    ...{ clockBehindMs: 0, broken: null, anchors: [{ name: 'file', error: null }] },
  },
  jobs: [{ name: 'checkpoint', fault: null }],
  webhook: { fault: null, certificateEndsAt: NOW + 2000 * HOUR, guarded: true },
  cluster: { name: 'eu', sameName: [], stale: [], holding: [], fault: null, nodesOverSince: null },
  scanner: { name: 'trivy', fault: null },
  ...{ vulnerabilityDatabase: fresh, knownExploited: fresh, endOfLife: fresh },
  ...{ registries: [], untrustedProxies: [], proxyFault: null },
  policies: [{ name: 'base', kind: 'ImagePolicy', fault: null }],
  channels: [channel],
  notifications: { failed: 0, oldest: null },
  backups: { every: 24 * HOUR, lastDoneAt: NOW - HOUR, lastError: null },
  licence: { state: 'active', warnings: [], lastError: null },
};

const cluster = (more: Partial<NonNullable<ServiceFacts['cluster']>>): Partial<ServiceFacts> => ({
  cluster: { ...(SOUND.cluster as NonNullable<ServiceFacts['cluster']>), ...more },
});
const ledger = (more: Partial<ServiceFacts['ledger']>): Partial<ServiceFacts> => ({
  ledger: { ...SOUND.ledger, ...more },
});
const hub = (more: Partial<ChannelFacts>): Partial<ServiceFacts> => ({ channels: [{ ...channel, ...more }] });
const backups = (more: Partial<ServiceFacts['backups']>): Partial<ServiceFacts> => ({
  backups: { ...SOUND.backups, ...more },
});

/** Faults of a running service: what is wrong, which check names it, and how. */
const FAULTS: readonly (readonly [string, Partial<ServiceFacts>, string, Exclude<State, 'ok'>, RegExp])[] = [
  [
    'database away',
    { database: { engine: 'postgres', fault: 'ECONNREFUSED', readOnly: null } },
    'database.answers',
    'fail',
    /ECONNREFUSED/,
  ],
  [
    'events that no image is known of',
    { runtimeEvents: { events: 100, byField: 2, byPod: 10 } },
    'runtime.joined',
    'warn',
    /^12 % of the newest 100 events .*: 2 by field, 10 by pod; not joined: 88$/,
  ],
  [
    'database read-only',
    {
      database: {
        engine: 'postgres',
        fault: null,
        readOnly: 'cannot execute UPDATE in a read-only transaction',
      },
    },
    'database.writable',
    'fail',
    /read-only/,
  ],
  [
    'ledger is another one',
    ledger({ broken: 'the ledger is not the one that was anchored' }),
    'ledger.intact',
    'fail',
    /anchored/,
  ],
  ['rows not signed', ledger({ signedRows: 90, signedAt: NOW - HOUR }), 'ledger.signed', 'fail', /10 rows/],
  [
    'anchor not written',
    ledger({ anchors: [{ name: 'file', error: 'EACCES' }] }),
    'ledger.anchor',
    'fail',
    /file .*EACCES/,
  ],
  ['spool stuck', ledger({ spooledRows: 7, holding: true }), 'ledger.spool', 'fail', /7 rows/],
  ['clock behind the ledger', ledger({ clockBehindMs: 90_000 }), 'ledger.clock', 'fail', /90 s/],
  ['job failing', { jobs: [{ name: 'catalogues', fault: 'ETIMEDOUT' }] }, 'jobs', 'warn', /catalogues/],
  [
    'webhook degraded',
    { webhook: { fault: 'the policies are old', certificateEndsAt: null, guarded: true } },
    'webhook.answers',
    'fail',
    /policies are old/,
  ],
  [
    'certificate expired',
    { webhook: { fault: null, certificateEndsAt: NOW - HOUR, guarded: true } },
    'webhook.serving-certificate',
    'fail',
    /ended/,
  ],
  [
    'certificate ends soon',
    { webhook: { fault: null, certificateEndsAt: NOW + HOUR, guarded: true } },
    'webhook.serving-certificate',
    'warn',
    /ends/,
  ],
  [
    'anyone may post reviews',
    { webhook: { fault: null, certificateEndsAt: null, guarded: false } },
    'webhook.callers',
    'warn',
    /anyone/,
  ],
  [
    'watch of the cluster stale',
    cluster({ stale: [{ kind: 'pods', since: NOW - HOUR }] }),
    'cluster.reads',
    'fail',
    /pods/,
  ],
  [
    'replica holds rows',
    cluster({ holding: [{ name: 'ipo-1', since: NOW - HOUR }] }),
    'cluster.replicas',
    'warn',
    /ipo-1/,
  ],
  [
    'two installations with one cluster name',
    cluster({ sameName: ['uid-2'] }),
    'cluster.name',
    'fail',
    /uid-2.*eu/,
  ],
  ['cluster without a name', cluster({ name: null }), 'cluster.name', 'warn', /no name/],
  ['nodes over the ceiling', cluster({ nodesOverSince: NOW - 80 * HOUR }), 'cluster.nodes', 'warn', /3d/],
  ['scanner absent', { scanner: null }, 'scanner.there', 'warn', /no scanner/],
  [
    'scanner failing',
    { scanner: { name: 'trivy', fault: 'exit code 1' } },
    'scanner.works',
    'fail',
    /exit code 1/,
  ],
  [
    'vulnerability database stale',
    { vulnerabilityDatabase: { ...fresh, freshAt: NOW - 30 * HOUR } },
    'catalogue.vulnerabilities',
    'fail',
    /30h/,
  ],
  [
    'catalogue of known exploited stale',
    { knownExploited: { ...fresh, freshAt: NOW - 100 * HOUR, lastError: 'HTTP 503' } },
    'catalogue.known-exploited',
    'fail',
    /4d ago: HTTP 503/,
  ],
  [
    'end-of-life data never fetched',
    { endOfLife: { off: false, freshAt: null, lastError: 'ENOTFOUND' } },
    'catalogue.end-of-life',
    'fail',
    /never fetched: ENOTFOUND/,
  ],
  ['images that cannot be scanned', { unscannable: 3 }, 'scans.failing', 'warn', /3 images/],
  [
    'registry unreachable',
    { registries: [{ host: 'registry.example.com', since: NOW - HOUR }] },
    'registries.answer',
    'fail',
    /registry\.example\.com/,
  ],
  [
    'channel with broken settings',
    hub({ fault: 'defaultRepo is missing' }),
    'channels.valid',
    'fail',
    /hub.*defaultRepo/,
  ],
  [
    'host that is not allowed any more',
    hub({ hostFault: 'leads to api.github.com, which trackers.allowedHosts does not allow' }),
    'channels.hosts',
    'fail',
    /hub leads to api\.github\.com.*allowedHosts/,
  ],
  [
    'DATA_KEY replaced',
    hub({ secrets: [{ field: 'token', state: 'unreadable' }] }),
    'channels.credential',
    'fail',
    /token.*hub.*DATA_KEY/,
  ],
  [
    'token missing',
    hub({ secrets: [{ field: 'token', state: 'missing' }] }),
    'channels.credential',
    'fail',
    /hub has no token/,
  ],
  ['DATA_KEY not set', { hasDataKey: false }, 'channels.data-key', 'fail', /DATA_KEY is not set/],
  ['channel unauthorised', hub({ lastError: 'HTTP 401 Bad credentials' }), 'channels.errors', 'fail', /401/],
  ['channel muted', hub({ mutedUntil: NOW + HOUR }), 'channels.muted', 'warn', /until 2026-11-20T13:00:00Z/],
  ['channel paused by a restore', hub({ paused: true }), 'channels.paused', 'warn', /paused/],
  ['no channel is told anything', hub({ events: [] }), 'channels.subscribed', 'warn', /no enabled channel/],
  [
    'no channel for runtime alerts',
    { notifyingRules: 2 },
    'channels.runtime-alerts',
    'warn',
    /runtime_alert/,
  ],
  [
    'messages failed',
    { notifications: { failed: 2, oldest: null } },
    'notifications.sent',
    'warn',
    /2 messages/,
  ],
  [
    'messages wait',
    { notifications: { failed: 0, oldest: NOW - 2 * HOUR } },
    'notifications.sent',
    'fail',
    /2h/,
  ],
  [
    'policy invalid',
    { policies: [...SOUND.policies, { name: 'web', kind: 'ImagePolicy', fault: 'unknown field' }] },
    'policies.valid',
    'fail',
    /web/,
  ],
  ['no policy', { policies: [] }, 'policies.there', 'warn', /every image is allowed/],
  ['backup failed', backups({ lastError: 'ENOSPC' }), 'backups.fresh', 'fail', /ENOSPC/],
  ['backup old', backups({ lastDoneAt: NOW - 60 * HOUR }), 'backups.fresh', 'fail', /60h/],
  [
    'licence expired',
    { licence: { state: 'expired', warnings: ['the certificate expired.'], lastError: null } },
    'licence.valid',
    'warn',
    /expired$/,
  ],
  [
    'licence service away',
    { licence: { state: 'active', warnings: [], lastError: 'HTTP 500' } },
    'licence.check',
    'warn',
    /HTTP 500/,
  ],
  ['proxy wrong', { proxyFault: 'proxy.example.com:3128: ECONNREFUSED' }, 'outbound.proxy', 'fail', /3128/],
  ['untrusted proxy', { untrustedProxies: ['10.0.0.9'] }, 'http.trusted-proxies', 'warn', /10\.0\.0\.9/],
];

test('a sound service has no check that warns or fails, and every check has an id of its own', () => {
  const checks = examine(SERVICE_CHECKS, 'service', SOUND, NOW);
  assert.deepEqual(wrong(checks), []);
  assert.ok(checks.length >= 20);
  const ids = SERVICE_CHECKS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { state, hint } of checks) assert.deepEqual([state, hint], ['ok', null]);
});

for (const [fault, seed, id, state, says] of FAULTS)
  test(`service: ${fault} is named by ${id}`, () => {
    holdsFault(examine(SERVICE_CHECKS, 'service', { ...SOUND, ...seed }, NOW), fault, id, state, says);
  });

test('a service by itself, without cluster, webhook, channels and schedules, is sound too', () => {
  const nothing = { off: true, freshAt: null, lastError: null };
  const facts: ServiceFacts = {
    ...{
      ...SOUND,
      webhook: null,
      cluster: null,
      scanner: null,
      scannerOff: true,
      channels: [],
      hasDataKey: false,
    },
    ...{ vulnerabilityDatabase: nothing, knownExploited: nothing, endOfLife: nothing, notifications: null },
    backups: { every: null, lastDoneAt: null, lastError: null },
    licence: { state: 'none', warnings: [], lastError: null },
    ledger: { ...SOUND.ledger, anchors: [] },
  };
  assert.deepEqual(wrong(examine(SERVICE_CHECKS, 'service', facts, NOW)), []);
});

test('every check of a service is seeded with a fault', () => {
  const seeded = new Set(FAULTS.map(([, , id]) => id));
  assert.deepEqual(
    SERVICE_CHECKS.map(({ id }) => id).filter((id) => !seeded.has(id)),
    [],
  );
  assert.ok(FAULTS.length >= 40);
});
