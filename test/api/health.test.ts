import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, healthRoutes, UntrustedProxies, type Health } from '../../src/api/index.ts';
import type { HealthBody } from '../../src/api/contract/health.ts';
import { keptLog, startApi } from './service.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');

const health: Health = {
  version: '1.2.3',
  now: NOW,
  startedAt: NOW - HOUR,
  database: { status: 'ok', engine: 'sqlite' },
  ledger: {
    status: 'ok',
    rows: 10,
    treeSize: 8,
    checkpoint: { size: 8, at: NOW - 90_000 },
    spool: { rows: 0, holding: false },
    clock: { behind: 0, recordedAt: null },
    anchors: [],
  },
  replay: { status: 'ok' },
  jobs: [{ name: 'checkpoint', status: 'ok', lastSuccessAt: NOW - 60_000 }],
  webhook: null,
  cluster: null,
  kev: {
    version: '2026.11.19',
    entries: 1700,
    fetchedAt: null,
    checkedAt: NOW,
    lastError: 'www.cisa.gov is not a known host',
  },
  trivyDb: { updatedAt: NOW - 26 * HOUR, checkedAt: null, fetchedAt: null, lastError: null },
  scanner: null,
  registries: { status: 'ok', away: [], more: 0 },
  scanFailures: { images: 0, byReason: {} },
  notifications: { waiting: 0, failed: 0, oldest: null },
  untrustedProxies: [],
};

test('ages are minutes under an hour, and hours above', () => {
  const ages: readonly (readonly [ms: number, age: string])[] = [
    [0, '0m old'],
    [-5, '0m old'],
    [54 * 60_000 + 59_999, '54m old'],
    [HOUR - 1, '59m old'],
    [HOUR, '1h old'],
    [26.9 * HOUR, '26h old'],
    [1000 * HOUR, '1000h old'],
  ];
  for (const [ms, age] of ages) assert.equal(formatAge(ms), age);
});

test('webhook and cluster of an operator are parts like any other', async (t) => {
  const told: Health = {
    ...health,
    webhook: {
      ...{ status: 'ok', reviews: 3, certificateEndsAt: NOW + HOUR },
      refused: { calls: 2, lastAt: NOW - HOUR },
    },
    cluster: {
      ...{ status: 'degraded', name: 'prod', leads: true },
      reads: [
        { kind: 'pods', staleSince: NOW - HOUR },
        { kind: 'nodes', staleSince: null },
      ],
      replicas: [
        { name: 'ipo-0-1a2b3c', state: 'answers', since: null, rows: 0 },
        { name: 'ipo-1-4d5e6f', state: 'missing', since: NOW - HOUR, rows: 7 },
      ],
    },
  };
  const { as } = await startApi(t, healthRoutes({ health: async () => told }));
  const { body } = await as('viewer').json<HealthBody>('GET /system/health');
  assert.equal(body.status, 'degraded');
  assert.deepEqual(body.webhook, {
    ...{ status: 'ok', reviews: 3, certificate_ends_at: '2026-11-20T13:00:00Z' },
    refused_calls: { calls: 2, last_at: '2026-11-20T11:00:00Z' },
  });
  assert.deepEqual(body.cluster, {
    ...{ status: 'degraded', name: 'prod', leads: true },
    reads: [
      { kind: 'pods', status: 'degraded', stale_since: '2026-11-20T11:00:00Z' },
      { kind: 'nodes', status: 'ok' },
    ],
    replicas: [
      { name: 'ipo-0-1a2b3c', state: 'answers', rows: 0 },
      { name: 'ipo-1-4d5e6f', state: 'missing', since: '2026-11-20T11:00:00Z', rows: 7 },
    ],
  });
});

test('health tells every part, and leaves out times that are not known', async (t) => {
  const { as } = await startApi(t, healthRoutes({ health: async () => health }));
  const { body } = await as('viewer').json<HealthBody>('GET /system/health');
  assert.deepEqual(body, {
    status: 'ok',
    version: '1.2.3',
    started_at: '2026-11-20T11:00:00Z',
    database: { status: 'ok', engine: 'sqlite' },
    ledger: {
      status: 'ok',
      rows: 10,
      tree_size: 8,
      checkpoint: { size: 8, at: '2026-11-20T11:58:30Z', age: '1m old' },
      spool: { rows: 0, holding: false },
      clock: { behind_seconds: 0 },
      anchors: [],
    },
    replay: { status: 'ok' },
    jobs: [{ name: 'checkpoint', status: 'ok', last_success_at: '2026-11-20T11:59:00Z' }],
    vulnerability_database_age: '26h old',
    kev_state: {
      version: '2026.11.19',
      entries: 1700,
      checked_at: '2026-11-20T12:00:00Z',
      message: 'www.cisa.gov is not a known host',
    },
    trivy_db_state: { updated_at: '2026-11-19T10:00:00Z' },
    notifications: { waiting: 0, failed: 0 },
    registries: { status: 'ok', away: [] },
  });
});

test('the whole is as bad as its worst part, and down without its database', async (t) => {
  const states: readonly (readonly [change: Partial<Health>, status: string])[] = [
    [{ replay: { status: 'degraded', message: 'x' } }, 'degraded'],
    [{ jobs: [{ name: 'x', status: 'degraded', lastSuccessAt: null, message: 'failed' }] }, 'degraded'],
    [
      { ledger: { ...health.ledger, rows: null, treeSize: null, checkpoint: null, status: 'down' } },
      'degraded',
    ],
    [{ database: { status: 'down', engine: 'postgres', message: 'gone' } }, 'down'],
  ];
  for (const [change, status] of states) {
    const { as } = await startApi(t, healthRoutes({ health: async () => ({ ...health, ...change }) }));
    assert.equal((await as('viewer').json<HealthBody>('GET /system/health')).body.status, status);
  }
});

test('health says that requests come through a proxy that is not trusted: since when, which address, what to set', async (t) => {
  // None is trusted; others are; this one is.
  for (const [trustedProxies, isNamed] of [
    [[], true],
    [['10.0.0.0/8'], true],
    [['127.0.0.1'], false],
  ] as const) {
    let now = NOW - 2 * HOUR;
    const log = keptLog();
    const proxies = new UntrustedProxies({ now: () => now, log });
    const told = async () => ({ ...health, untrustedProxies: proxies.list() });
    const { url } = await startApi(t, healthRoutes({ health: told }), { proxies, trustedProxies });
    const ask = async (headers: Record<string, string>): Promise<HealthBody> => {
      const authorization = 'Bearer viewer-token';
      const response = await fetch(`${url}/api/v1/system/health`, { headers: { authorization, ...headers } });
      return (await response.json()) as HealthBody;
    };
    assert.equal((await ask({})).untrusted_proxies, undefined);
    await ask({ 'x-forwarded-for': '192.0.2.1' });
    now = NOW;
    const body = await ask({ forwarded: 'for=192.0.2.2', 'x-forwarded-for': '192.0.2.2' });
    const addresses = [
      { address: '127.0.0.1', since: '2026-11-20T10:00:00Z', last_at: '2026-11-20T12:00:00Z' },
    ];
    const message =
      'Set trustedProxies (api.trustedProxies of the chart) to the addresses or networks of the proxy';
    assert.deepEqual(body.untrusted_proxies, isNamed ? { message, addresses } : undefined);
    assert.equal(body.status, 'ok'); // anybody can send the header
    assert.deepEqual(
      log.lines.map(({ keys }) => keys['proxy']),
      isNamed ? ['127.0.0.1'] : [],
    );
  }
});

test('of addresses that pass requests on, the ten that were seen last are kept', () => {
  const proxies = new UntrustedProxies({ now: () => NOW, log: keptLog() });
  for (let i = 0; i < 1000; i += 1) {
    const ip = `10.0.${i >> 8}.${i & 255}`;
    proxies.note({ ip, headers: { 'x-forwarded-for': 'x' }, socket: { remoteAddress: ip } as never });
  }
  assert.equal(proxies.list().length, 10);
  assert.equal(proxies.list()[0]?.address, '10.0.3.231');
});
