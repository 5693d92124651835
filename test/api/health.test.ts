import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, healthRoutes, type Health } from '../../src/api/index.ts';
import type { HealthBody } from '../../src/api/contract/health.ts';
import { startApi } from './service.ts';

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
